import type { MutationCtx } from "../../_generated/server.js";
import { refuseUntil } from "../refuse.ts";
import { limiter } from "../rates.ts";

/** Of all whose address the deployment does not know. */
const sharedBucket = "unknown";

/**
 * Throws `rate_limited` where too many wrong enrolment codes came from the caller's address. Only reads: those
 * who are right do not hinder each other.
 *
 * A code has 60 bits only, so the limit has to stop whoever tries on from one address: it refuses right ones, too,
 * as a guess that is let in whenever it is right is not limited at all. A bucket that strangers share must not
 * refuse right ones: whoever emptied it would lock out everybody.
 */
export async function admitGuess(ctx: MutationCtx, isRight: boolean): Promise<void> {
  const { ip } = await ctx.meta.getRequestMetadata();
  if (ip === null && isRight) return;
  const { ok, retryAfter } = await limiter.check(ctx, "wrongCodes", { key: ip ?? sharedBucket });
  if (!ok) refuseUntil("rate_limited", "Too many wrong codes were tried.", retryAfter);
}

/** Counts a wrong code. The caller must commit: a refusal that is thrown would undo it. */
export async function countWrongGuess(ctx: MutationCtx): Promise<void> {
  const { ip } = await ctx.meta.getRequestMetadata();
  await limiter.limit(ctx, "wrongCodes", { key: ip ?? sharedBucket });
}
