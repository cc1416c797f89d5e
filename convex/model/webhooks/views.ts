import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { deliveryAttempt, deliveryState, disabledBy, webhookEvent } from "../validators/webhooks.ts";
import { eventId } from "./body.ts";
import { findPump, findState } from "./deliveries.ts";
import { eventsOf, nameOf } from "./endpoints.ts";

export const webhookView = v.object({
  webhookId: v.id("webhooks"),
  name: v.string(),
  url: v.string(),
  events: v.array(webhookEvent),
  /** The only key whose events it gets; null: all. A key that is gone has no name. */
  key: v.union(v.object({ keyId: v.id("apiKeys"), name: v.string() }), v.null()),
  disabled: v.union(v.object({ at: v.number(), why: disabledBy }), v.null()),
  /** Until when the secret before the last one signs, too; null: it does not. */
  overlapUntil: v.union(v.number(), v.null()),
  createdAt: v.number(),
  /** The last try to deliver; null before the first. */
  last: v.union(v.object({ at: v.number(), error: v.union(v.string(), v.null()) }), v.null()),
  /** Deliveries that wait to be tried again. */
  retrying: v.number(),
  /** Events that were not sent, and when the last one was counted; null: none. */
  skipped: v.union(v.object({ count: v.number(), at: v.number() }), v.null()),
  /** The receiver is too slow, so that ends of jobs are only counted. */
  full: v.boolean(),
});

/** A webhook as the console shows it, without its secrets. */
export async function viewWebhook(
  ctx: QueryCtx,
  webhook: Doc<"webhooks">,
): Promise<Infer<typeof webhookView>> {
  const { _id: webhookId, url, apiKeyId, disabled = null, previous, createdAt } = webhook;
  const [key, state, pump] = await Promise.all([
    apiKeyId === undefined ? null : ctx.db.get("apiKeys", apiKeyId),
    findState(ctx, webhookId),
    findPump(ctx, webhookId),
  ]);
  const { skipped = 0, skippedAt: at = 0 } = state ?? {};
  return {
    webhookId,
    name: visibleText(nameOf(webhook)),
    url,
    events: [...eventsOf(webhook)],
    key: apiKeyId === undefined ? null : { keyId: apiKeyId, name: visibleText(key?.name ?? "") },
    disabled,
    overlapUntil: previous?.until ?? null,
    createdAt,
    last: state?.last ?? webhook.last ?? null,
    retrying: state?.retrying ?? 0,
    skipped: skipped === 0 ? null : { count: skipped, at },
    full: pump?.full ?? false,
  };
}

export const deliveryView = v.object({
  deliveryId: v.id("webhookDeliveries"),
  /** The id that its receiver sees, also in the header `webhook-id`. */
  eventId: v.string(),
  type: v.string(),
  createdAt: v.number(),
  state: deliveryState,
  /** The time of the next try; null after the last one. */
  dueAt: v.union(v.number(), v.null()),
  attempts: v.array(deliveryAttempt),
});

export function viewDelivery(row: Doc<"webhookDeliveries">): Infer<typeof deliveryView> {
  const { _id: deliveryId, type, createdAt, state, dueAt = null, attempts } = row;
  return { deliveryId, eventId: eventId(deliveryId), type, createdAt, state, dueAt, attempts };
}
