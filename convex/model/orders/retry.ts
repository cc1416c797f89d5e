import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { keyAccount } from "../ledger/accounts.ts";
import { balanceOf } from "../ledger/balance.ts";
import { reserve } from "../ledger/reserve.ts";
import { queue } from "../queue.ts";
import { orderOf } from "./orderOf.ts";

export type RetryOutcome =
  | { kind: "ready" }
  /** The prompt is not kept any more. */
  | { kind: "gone" }
  | { kind: "not-dead" }
  /** Its key has not enough credits for another round. */
  | { kind: "quota-exceeded" }
  /** Its key was revoked: nobody could read the answer. */
  | { kind: "revoked" };

/**
 * Tries a dead letter again, which reserves again under the job's next round. The one way to do so: what the queue alone
 * revives has no reservation, and its end is refused.
 */
export async function retryOrder(
  ctx: MutationCtx,
  order: Doc<"orders">,
  actor: string,
  now: number,
): Promise<RetryOutcome> {
  const { organizationId, apiKeyId, jobId, reservedMicro } = order;
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key?.revokedAt !== undefined) return { kind: "revoked" };
  const job = await queue.status(ctx, organizationId, jobId);
  if (job?.status !== "failed" && job?.status !== "expired") return { kind: "not-dead" };
  // With what is not folded yet: of many that are tried again at once each has to find what the others left.
  const { micro } = await balanceOf(ctx, keyAccount(apiKeyId));
  if (micro < reservedMicro) return { kind: "quota-exceeded" };
  const outcome = await queue.deadLetters.retry(ctx, organizationId, jobId, actor);
  if (outcome.kind !== "ready") return outcome;
  const round = order.round + 1;
  await reserve(ctx, { ...order, round }, now);
  await ctx.db.patch("orders", order._id, { round });
  return outcome;
}

/** Few, since each is a transaction's worth of reads. */
const perBatch = 25;

/**
 * Tries an organization's dead letters again, a batch of them.
 * @returns how many are ready again, and where to go on; null: at the end.
 */
export async function retryBatch(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
  actor: string,
  now: number,
): Promise<{ started: number; next: string | null }> {
  const { page, isDone, continueCursor } = await queue.deadLetters.list(ctx, organizationId, {
    paginationOpts: { numItems: perBatch, cursor },
  });
  let started = 0;
  for (const { jobId } of page) {
    const order = await orderOf(ctx, jobId);
    if (order === null) continue;
    const { kind } = await retryOrder(ctx, order, actor, now);
    if (kind === "ready") started += 1;
  }
  return { started, next: isDone ? null : continueCursor };
}
