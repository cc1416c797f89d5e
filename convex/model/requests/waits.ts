import { waitingCalls } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** Other projects, which have no types of Node, import the types of this file. */
declare const process: { readonly env: { readonly MAX_WAITING_CALLS?: string } };

/** Rows that one run of the maintenance deletes. */
const sweptAtOnce = 500;

/** The most calls of one key that may wait: the deployment's variable MAX_WAITING_CALLS, or the default. */
export function mostWaitingCalls(): number {
  const given = Number(process.env.MAX_WAITING_CALLS ?? "");
  return Number.isSafeInteger(given) && given > 0 ? given : waitingCalls.most;
}

/**
 * Whether fewer than `most` calls of the key wait now. Calls that wait for only a few seconds do not count. Ask in a query
 * of its own: a mutation that reads these rows would conflict with every other call of the key.
 */
export async function mayWait(
  ctx: QueryCtx,
  apiKeyId: Id<"apiKeys">,
  most: number,
  now: number,
): Promise<boolean> {
  const waiting = await ctx.db
    .query("waits")
    .withIndex("by_key", (q) => q.eq("apiKeyId", apiKeyId).gt("until", now))
    .take(most);
  return waiting.length < most;
}

/** Counts a waiting call until `endWait`, or until its wait must have ended. */
export async function beginWait(
  ctx: MutationCtx,
  apiKeyId: Id<"apiKeys">,
  until: number,
): Promise<Id<"waits">> {
  return await ctx.db.insert("waits", { apiKeyId, until });
}

export async function endWait(ctx: MutationCtx, waitId: Id<"waits">): Promise<void> {
  if ((await ctx.db.get("waits", waitId)) !== null) await ctx.db.delete("waits", waitId);
}

/** Deletes the rows of calls that were cut off. Returns whether there may be more. */
export async function sweepWaits(ctx: MutationCtx, now: number): Promise<boolean> {
  const ended = await ctx.db
    .query("waits")
    .withIndex("by_end", (q) => q.lte("until", now))
    .take(sweptAtOnce);
  for (const { _id } of ended) await ctx.db.delete("waits", _id);
  return ended.length === sweptAtOnce;
}
