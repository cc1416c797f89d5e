import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { stateOf } from "./deliveries.ts";

type Target = Pick<Doc<"webhookDeliveries">, "target">;

/** Whether a webhook was given to another API key than the one that a delivery tells of. */
export function isOfOtherKey({ target }: Target, { apiKeyId }: Doc<"webhooks">): boolean {
  return target !== undefined && apiKeyId !== undefined && target.apiKeyId !== apiKeyId;
}

/** Why a webhook must not get a delivery, since its settings have changed; null: it may. */
export function changedSince(delivery: Target, webhook: Doc<"webhooks">): string | null {
  if (isOfOtherKey(delivery, webhook)) return "Not sent: the webhook was given to another API key.";
  const { target } = delivery;
  return target === undefined || target.url === webhook.url
    ? null
    : "Not sent: the address of the webhook was changed. Send it again for the new address.";
}

/** Ends pending deliveries that their webhook must not get any more. They count neither as tries nor as failures of the receiver. */
export async function dropDeliveries(
  ctx: MutationCtx,
  webhookId: Id<"webhooks">,
  deliveryIds: readonly Id<"webhookDeliveries">[],
  now: number,
): Promise<void> {
  const webhook = await ctx.db.get("webhooks", webhookId);
  if (webhook === null) return;
  let retried = 0;
  for (const deliveryId of deliveryIds) {
    const row = await ctx.db.get("webhookDeliveries", deliveryId);
    const error = row === null ? null : changedSince(row, webhook);
    if (row?.state !== "pending" || error === null) continue;
    const attempts = [...row.attempts, { at: now, ms: 0, status: null, error, answer: "" }];
    await ctx.db.patch("webhookDeliveries", deliveryId, { attempts, state: "failed", dueAt: undefined });
    retried += Number(row.tries > 0);
  }
  if (retried === 0) return;
  const { _id, retrying } = await stateOf(ctx, webhookId);
  await ctx.db.patch("webhookStates", _id, { retrying: Math.max(0, retrying - retried) });
}
