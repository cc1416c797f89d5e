import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import { pumpOf, stateOf, wake } from "./deliveries.ts";
import { isOfOtherKey } from "./targets.ts";

const replayedAtOnce = 200;

/** Sends a delivery again, at once and with all its tries, to the present address. It keeps its id. Refuses: conflict. */
export async function replay(
  ctx: MutationCtx,
  webhook: Doc<"webhooks">,
  delivery: Doc<"webhookDeliveries">,
  now: number,
): Promise<void> {
  if (webhook.disabled !== undefined) refuse("conflict", "This webhook is disabled. Enable it first.");
  if (isOfOtherKey(delivery, webhook))
    refuse("conflict", "This event is of another API key than the webhook's, so it cannot be sent.");
  await sendAgain(ctx, webhook, [delivery], now);
}

/**
 * Sends the next deliveries again that failed at or after a time (ms epoch), oldest first. Deletes those of another API key than
 * the webhook's, which it may not get.
 * @returns whether there may be more. Refuses: conflict.
 */
export async function replayFailed(
  ctx: MutationCtx,
  webhook: Doc<"webhooks">,
  since: number,
  now: number,
): Promise<boolean> {
  const { _id, disabled } = webhook;
  if (disabled !== undefined) refuse("conflict", "This webhook is disabled. Enable it first.");
  const failed = await ctx.db
    .query("webhookDeliveries")
    .withIndex("by_state", (q) => q.eq("webhookId", _id).eq("state", "failed").gte("createdAt", since))
    .take(replayedAtOnce);
  for (const row of failed) if (isOfOtherKey(row, webhook)) await ctx.db.delete("webhookDeliveries", row._id);
  const sent = failed.filter((row) => !isOfOtherKey(row, webhook));
  if (sent.length > 0) await sendAgain(ctx, webhook, sent, now);
  return failed.length === replayedAtOnce;
}

async function sendAgain(
  ctx: MutationCtx,
  { _id: webhookId, url }: Doc<"webhooks">,
  deliveries: readonly Doc<"webhookDeliveries">[],
  now: number,
): Promise<void> {
  const retried = deliveries.filter(({ state, tries }) => state === "pending" && tries > 0).length;
  for (const { _id, target } of deliveries) {
    const again = { state: "pending", tries: 0, dueAt: now } as const;
    await ctx.db.patch(
      "webhookDeliveries",
      _id,
      target === undefined ? again : { ...again, target: { ...target, url } },
    );
  }
  if (retried > 0) {
    const { _id, retrying } = await stateOf(ctx, webhookId);
    await ctx.db.patch("webhookStates", _id, { retrying: Math.max(0, retrying - retried) });
  }
  await wake(ctx, await pumpOf(ctx, webhookId), now);
}
