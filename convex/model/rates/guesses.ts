import type { MutationCtx } from "../../_generated/server.js";
import { refuseForNow } from "../refuse.ts";
import { limiter } from "./limiter.ts";

/** What may be guessed at. */
export type Guessed = "wrongCodes" | "wrongLinks";

/**
 * Lets nobody try a secret, right or wrong, where too many wrong ones came from. Throws `rate_limited`.
 * Only reads: those who are right do not hinder each other.
 */
export async function mayGuess(ctx: MutationCtx, what: Guessed): Promise<void> {
  const { ok, retryAfter } = await limiter.check(ctx, what, { key: await origin(ctx) });
  if (!ok) refuseForNow("Too many wrong ones were tried.", retryAfter);
}

/** Counts a wrong one. The caller must commit: a refusal that is thrown would undo it. */
export async function guessedWrong(ctx: MutationCtx, what: Guessed): Promise<void> {
  await limiter.limit(ctx, what, { key: await origin(ctx) });
}

/** Who asks, as far as the deployment knows; all whom it does not know share a bucket. */
async function origin(ctx: MutationCtx): Promise<string> {
  const { ip } = await ctx.meta.getRequestMetadata();
  return ip ?? "unknown";
}
