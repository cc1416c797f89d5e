import type { Infer } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { attentionItem } from "../validators.ts";
import { keepForMails } from "./mails.ts";
import { beganMessage, endedMessage, type Message, testMessage } from "./messages.ts";
import { retryMs } from "./retries.ts";
import { webhooksOf } from "./webhooks.ts";

type Item = Infer<typeof attentionItem>;

/** An action that was cut off is repeated after this time. */
const lostAfterMs = 60_000;

/** Tells what began and what ended, once each. */
export async function startAlerts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  {
    began,
    ended,
    at,
  }: { readonly began: readonly Item[]; readonly ended: readonly Item[]; readonly at: number },
): Promise<void> {
  const messages = [
    ...began.map((item) => beganMessage(item, at)),
    ...ended.map((item) => endedMessage(item, at)),
  ];
  await tell(ctx, organizationId, messages, at);
}

/** Sends messages to all webhooks, and keeps them for the next mails. */
export async function tell(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  messages: readonly Message[],
  now: number,
): Promise<void> {
  for (const webhook of await webhooksOf(ctx, organizationId))
    for (const message of messages) await send(ctx, webhook, message, now);
  await keepForMails(ctx, organizationId, messages, now);
}

/** Sends a message that says that it is a test. */
export async function sendTest(ctx: MutationCtx, webhook: Doc<"webhooks">, now: number): Promise<void> {
  await send(ctx, webhook, testMessage(now), now);
}

async function send(
  ctx: MutationCtx,
  { _id: webhookId, organizationId }: Doc<"webhooks">,
  message: Message,
  now: number,
): Promise<void> {
  const organization = await ctx.db.get("organizations", organizationId);
  const name = visibleText(organization?.name ?? "");
  const body = JSON.stringify({ organization: { id: organizationId, name }, ...message });
  const deliveryId = await ctx.db.insert("alertDeliveries", { webhookId, body, tries: 0, createdAt: now });
  await tryDelivery(ctx, deliveryId, 0);
}

/** Starts a try. If its action is cut off, a later call repeats it. */
export async function tryDelivery(
  ctx: MutationCtx,
  deliveryId: Id<"alertDeliveries">,
  tries: number,
): Promise<void> {
  const delivery = await ctx.db.get("alertDeliveries", deliveryId);
  if (delivery?.tries !== tries) return;
  await ctx.scheduler.runAfter(0, internal.alerts.deliver, { deliveryId });
  await ctx.scheduler.runAfter(lostAfterMs, internal.alerts.startTry, { deliveryId, tries });
}

/** The delivery with its webhook; null once either is gone. */
export async function deliveryOf(
  ctx: QueryCtx,
  deliveryId: Id<"alertDeliveries">,
): Promise<{ readonly url: string; readonly secret: string; readonly body: string } | null> {
  const delivery = await ctx.db.get("alertDeliveries", deliveryId);
  const webhook = delivery === null ? null : await ctx.db.get("webhooks", delivery.webhookId);
  return delivery === null || webhook === null
    ? null
    : { url: webhook.url, secret: webhook.secret, body: delivery.body };
}

/** Notes how a try ended, and plans the next one after a failure. @param error null: it was delivered. */
export async function noteDelivery(
  ctx: MutationCtx,
  deliveryId: Id<"alertDeliveries">,
  error: string | null,
  now: number,
): Promise<void> {
  const delivery = await ctx.db.get("alertDeliveries", deliveryId);
  if (delivery === null) return;
  const { webhookId, tries } = delivery;
  if ((await ctx.db.get("webhooks", webhookId)) !== null)
    await ctx.db.patch("webhooks", webhookId, { last: { at: now, error } });
  const pause = retryMs[tries];
  if (error === null || pause === undefined) {
    await ctx.db.delete("alertDeliveries", deliveryId);
    return;
  }
  await ctx.db.patch("alertDeliveries", deliveryId, { tries: tries + 1 });
  await ctx.scheduler.runAfter(pause, internal.alerts.startTry, { deliveryId, tries: tries + 1 });
}
