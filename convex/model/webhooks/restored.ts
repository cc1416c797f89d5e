import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deleteWebhook } from "./endpoints.ts";

/** Fields of a webhook in the replaced state. Documents of other versions may lack them. */
type ReplacedWebhook = Partial<Omit<Doc<"webhooks">, "_id">> & { readonly _id?: string };

/** Keeps the settings that a webhook got after the backup: another address or another key may get its events no more. */
export async function keepWebhookSettings(
  ctx: MutationCtx,
  { _id = "", changedAt = 0, ...replaced }: ReplacedWebhook,
): Promise<void> {
  const webhookId = ctx.db.normalizeId("webhooks", _id);
  const webhook = webhookId === null ? null : await ctx.db.get("webhooks", webhookId);
  if (webhook === null || changedAt <= (webhook.changedAt ?? webhook.createdAt)) return;
  const { name, url = webhook.url, secret = webhook.secret, previous, events, apiKeyId, disabled } = replaced;
  const settings = { name, url, secret, previous, events, apiKeyId, disabled, changedAt };
  await ctx.db.patch("webhooks", webhook._id, settings);
}

/** Keeps a webhook removed that was removed after the backup. */
export async function keepWebhookRemoved(
  ctx: MutationCtx,
  { webhookId: removed = "", removedAt }: { readonly webhookId?: string; readonly removedAt?: number },
): Promise<void> {
  const webhookId = ctx.db.normalizeId("webhooks", removed);
  if (webhookId === null || removedAt === undefined) return;
  await deleteWebhook(ctx, webhookId, removedAt);
}
