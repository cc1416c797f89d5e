import type { Infer } from "convex/values";
import { attentionWords, endedWords } from "../../../app/devices/attention.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { attentionItem } from "../validators.ts";
import { webhooksOf } from "./webhooks.ts";

/** Pauses between the tries of a delivery. After the last one it is given up. */
const retryMs = [10_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000] as const;
/** An action that was cut off is repeated after this time. */
const lostAfterMs = 60_000;

type Item = Infer<typeof attentionItem>;

/** Something to tell. Each way of telling gets the same message. */
type Message = {
  readonly event: "attention.began" | "attention.ended" | "test";
  readonly kind: string;
  readonly subject: string;
  readonly count: number;
  readonly sentence: string;
  /** The act that mends it; "" at its end. */
  readonly act: string;
  /** ISO 8601. */
  readonly at: string;
};

/** Tells what began and what ended, once each. */
export async function startAlerts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  {
    began,
    ended,
    at: now,
  }: { readonly began: readonly Item[]; readonly ended: readonly Item[]; readonly at: number },
): Promise<void> {
  const at = new Date(now).toISOString();
  const messages: Message[] = [
    ...began.map(({ kind, subject, count }) => {
      const words = attentionWords({ kind, subject, count });
      return { event: "attention.began" as const, kind, subject, count, ...words, at };
    }),
    ...ended.map(({ kind, subject, count }) => {
      const sentence = endedWords({ kind, subject });
      return { event: "attention.ended" as const, kind, subject, count, sentence, act: "", at };
    }),
  ];
  for (const webhook of await webhooksOf(ctx, organizationId))
    for (const message of messages) await send(ctx, webhook, message, now);
}

/** Sends a message that says that it is a test. */
export async function sendTest(ctx: MutationCtx, webhook: Doc<"webhooks">, now: number): Promise<void> {
  const sentence = "This is a test of Gleaner's alerts. Nothing is wrong.";
  const at = new Date(now).toISOString();
  await send(
    ctx,
    webhook,
    { event: "test", kind: "test", subject: "", count: 0, sentence, act: "", at },
    now,
  );
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
