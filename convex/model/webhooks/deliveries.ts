import { isFrequent, type WebhookEvent } from "../../../app/webhooks/events.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";
import { eventsOf, webhooksOf } from "./endpoints.ts";

// An event only inserts its deliveries. One action for each webhook sends what is due and goes on until nothing is: see pump.ts.
// So ends of jobs never conflict with each other, and each receiver gets a bounded number of calls at once.

/** Something that webhooks are told. `data`: ids and states, and the words of alerts. Never a prompt or an answer. */
export type Told = { readonly type: WebhookEvent; readonly data: object };

/** Deliveries that come in this time are sent together. */
const gatherMs = 300;
/** Events that are only counted are not urgent. */
const countAfterMs = 60_000;

/** Writes a delivery for each webhook that wants an event. `apiKeyId`: of the job or the batch; null: of the organization. */
export async function tellWebhooks(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  apiKeyId: Id<"apiKeys"> | null,
  events: () => Promise<readonly Told[]> | readonly Told[],
  now: number,
): Promise<void> {
  const webhooks = (await webhooksOf(ctx, organizationId)).filter(
    (webhook) => webhook.apiKeyId === undefined || webhook.apiKeyId === apiKeyId,
  );
  if (webhooks.length === 0) return;
  const told = await events();
  for (const webhook of webhooks) {
    const wanted = eventsOf(webhook);
    for (const event of told)
      if (wanted.includes(event.type)) await deliver(ctx, webhook, event, apiKeyId, now);
  }
}

async function deliver(
  ctx: MutationCtx,
  webhook: Doc<"webhooks">,
  event: Told,
  apiKeyId: Id<"apiKeys"> | null,
  now: number,
): Promise<void> {
  const { _id: webhookId, disabled } = webhook;
  const pump = await pumpOf(ctx, webhookId);
  if (disabled === undefined && !(pump.full && isFrequent(event.type))) {
    await send(ctx, webhook, event, apiKeyId, now);
    return;
  }
  await ctx.db.insert("webhookSkips", { webhookId });
  await wake(ctx, pump, now + countAfterMs);
}

/** Writes one delivery, which is due at once. `apiKeyId`: as in `tellWebhooks`. */
export async function send(
  ctx: MutationCtx,
  { _id: webhookId, url }: Doc<"webhooks">,
  { type, data }: { readonly type: string; readonly data: object },
  apiKeyId: Id<"apiKeys"> | null,
  now: number,
): Promise<void> {
  await ctx.db.insert("webhookDeliveries", {
    webhookId,
    type,
    data: JSON.stringify(data),
    target: { url, apiKeyId },
    createdAt: now,
    state: "pending",
    dueAt: now,
    tries: 0,
    attempts: [],
  });
  await wake(ctx, await pumpOf(ctx, webhookId), now + gatherMs);
}

/** Starts a run at a time, unless one goes on or starts before. */
export async function wake(ctx: MutationCtx, pump: Doc<"webhookPumps">, wakeAt: number): Promise<void> {
  const { _id, webhookId, wakeAt: known } = pump;
  if (known !== undefined && known <= wakeAt) return;
  await ctx.db.patch("webhookPumps", _id, { wakeAt });
  await ctx.scheduler.runAt(wakeAt, internal.webhooks.send.run, { webhookId, wakeAt });
}

export async function findPump(
  ctx: QueryCtx,
  webhookId: Id<"webhooks">,
): Promise<Doc<"webhookPumps"> | null> {
  return await ctx.db
    .query("webhookPumps")
    .withIndex("by_webhook", (q) => q.eq("webhookId", webhookId))
    .unique();
}

/** A webhook's pump, which is made with its first delivery. */
export async function pumpOf(ctx: MutationCtx, webhookId: Id<"webhooks">): Promise<Doc<"webhookPumps">> {
  const found = await findPump(ctx, webhookId);
  if (found !== null) return found;
  const made = await ctx.db.insert("webhookPumps", { webhookId, full: false });
  return present(await ctx.db.get("webhookPumps", made), "pump of a webhook");
}

export async function findState(
  ctx: QueryCtx,
  webhookId: Id<"webhooks">,
): Promise<Doc<"webhookStates"> | null> {
  return await ctx.db
    .query("webhookStates")
    .withIndex("by_webhook", (q) => q.eq("webhookId", webhookId))
    .unique();
}

export async function stateOf(ctx: MutationCtx, webhookId: Id<"webhooks">): Promise<Doc<"webhookStates">> {
  const found = await findState(ctx, webhookId);
  if (found !== null) return found;
  const made = await ctx.db.insert("webhookStates", { webhookId, retrying: 0, skipped: 0 });
  return present(await ctx.db.get("webhookStates", made), "state of a webhook");
}
