import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { refuseUntil } from "../refuse.ts";
import { limiter } from "../rates.ts";

/** Counts one call of a key. Throws `rate_limited` when it makes too many. */
export async function admitCall(ctx: MutationCtx, apiKeyId: Id<"apiKeys">): Promise<void> {
  const { ok, retryAfter } = await limiter.limit(ctx, "apiCalls", { key: apiKeyId });
  if (!ok) refuseUntil("rate_limited", "This API key makes too many calls.", retryAfter);
}
