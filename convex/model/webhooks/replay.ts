import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import { pumpOf, stateOf, wake } from "./deliveries.ts";

const replayedAtOnce = 200;

/** Sends a delivery again, at once and with all its tries. It keeps its id. Refuses: conflict. */
export async function replay(
  ctx: MutationCtx,
  { disabled }: Doc<"webhooks">,
  delivery: Doc<"webhookDeliveries">,
  now: number,
): Promise<void> {
  if (disabled !== undefined) refuse("conflict", "This webhook is disabled. Enable it first.");
  await sendAgain(ctx, [delivery], now);
}

/**
 * Sends the next deliveries again that failed at or after a time (ms epoch), oldest first.
 * @returns whether there may be more. Refuses: conflict.
 */
export async function replayFailed(
  ctx: MutationCtx,
  { _id, disabled }: Doc<"webhooks">,
  since: number,
  now: number,
): Promise<boolean> {
  if (disabled !== undefined) refuse("conflict", "This webhook is disabled. Enable it first.");
  const failed = await ctx.db
    .query("webhookDeliveries")
    .withIndex("by_state", (q) => q.eq("webhookId", _id).eq("state", "failed").gte("createdAt", since))
    .take(replayedAtOnce);
  await sendAgain(ctx, failed, now);
  return failed.length === replayedAtOnce;
}

async function sendAgain(
  ctx: MutationCtx,
  deliveries: readonly Doc<"webhookDeliveries">[],
  now: number,
): Promise<void> {
  const webhookId: Id<"webhooks"> | undefined = deliveries[0]?.webhookId;
  if (webhookId === undefined) return;
  const retried = deliveries.filter(({ state, tries }) => state === "pending" && tries > 0).length;
  for (const { _id } of deliveries)
    await ctx.db.patch("webhookDeliveries", _id, { state: "pending", tries: 0, dueAt: now });
  if (retried > 0) {
    const { _id, retrying } = await stateOf(ctx, webhookId);
    await ctx.db.patch("webhookStates", _id, { retrying: Math.max(0, retrying - retried) });
  }
  await wake(ctx, await pumpOf(ctx, webhookId), now);
}
