import { isLoopback } from "../../../app/join-command.ts";
import { eventsBeforeChoice, isOfKey, type WebhookEvent } from "../../../app/webhooks/events.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedText, owned, refuse } from "../refuse.ts";
import { type Allowed, hostsIn, webhookFault } from "./address.ts";

declare const process: {
  readonly env: { readonly CONVEX_SITE_URL?: string; readonly WEBHOOK_HOSTS?: string };
};

const maxWebhooks = 10;
const maxNameChars = 60;
/** Messages have the signature of the earlier secret, too, for this long after a new one was made. */
const overlapMs = 24 * 3_600_000;

/** The addresses that the operator allows in addition. */
export function allowedAddresses(): Allowed {
  const { CONVEX_SITE_URL: siteUrl = "", WEBHOOK_HOSTS: hosts } = process.env;
  return { serverIsHere: isLoopback(siteUrl), hosts: hostsIn(hosts) };
}

/** A webhook's address, if the server may call it. Refuses: invalid. */
export function checkedAddress(given: string): string {
  const address = given.trim();
  const fault = webhookFault(address, allowedAddresses());
  return fault === null ? address : refuse("invalid", fault);
}

/** The settings of a webhook that members choose. */
type WebhookSettings = {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: events of all keys. */
  readonly apiKeyId: Id<"apiKeys"> | null;
};

export async function webhooksOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"webhooks">[]> {
  return await ctx.db
    .query("webhooks")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .take(maxWebhooks);
}

export function nameOf({ name, url }: Doc<"webhooks">): string {
  return name ?? new URL(url).host;
}

export function eventsOf({ events }: Doc<"webhooks">): readonly WebhookEvent[] {
  return events ?? eventsBeforeChoice;
}

/** Adds a webhook. `secret`: sealed. Refuses: invalid, not_found (the key), conflict. */
export async function addWebhook(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { secret, ...given }: WebhookSettings & { readonly secret: string },
  by: Act,
): Promise<Id<"webhooks">> {
  if ((await webhooksOf(ctx, organizationId)).length >= maxWebhooks)
    refuse("conflict", `There are ${String(maxWebhooks)} webhooks already. Remove one first.`);
  const { apiKeyId, ...settings } = await checked(ctx, organizationId, given);
  const ofKey = apiKeyId === null ? {} : { apiKeyId };
  const row = { organizationId, ...settings, ...ofKey, secret, createdAt: by.at };
  const webhookId = await ctx.db.insert("webhooks", row);
  const detail = new URL(settings.url).host;
  await record(ctx, { organizationId, ...by, action: "webhook.added", subject: webhookId, detail });
  return webhookId;
}

/** Changes the settings of a webhook. Its deliveries stay. Refuses: invalid, not_found (the key). */
export async function changeWebhook(
  ctx: MutationCtx,
  { _id: subject, organizationId }: Doc<"webhooks">,
  given: WebhookSettings,
  by: Act,
): Promise<void> {
  const { apiKeyId, ...settings } = await checked(ctx, organizationId, given);
  const change = { ...settings, apiKeyId: apiKeyId ?? undefined, changedAt: by.at };
  await ctx.db.patch("webhooks", subject, change);
  const detail = `${new URL(settings.url).host}: ${settings.events.join(", ")}`;
  await record(ctx, { organizationId, ...by, action: "webhook.changed", subject, detail });
}

async function checked(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { name: givenName, url: givenUrl, events: given, apiKeyId }: WebhookSettings,
) {
  if (apiKeyId !== null) owned(await ctx.db.get("apiKeys", apiKeyId), organizationId, "API key");
  const name = boundedText(givenName, "The name", maxNameChars);
  const url = checkedAddress(givenUrl);
  const events = [...new Set(given)];
  if (events.length === 0) refuse("invalid", "Choose at least one event.");
  if (apiKeyId !== null && !events.every(isOfKey)) {
    const why = "Alerts are about the whole organization, so a webhook of one API key cannot have them.";
    refuse("invalid", why);
  }
  return { name, url, events, apiKeyId };
}

/** Makes a new secret the webhook's. The earlier one signs for a day more. `secret`: sealed. */
export async function replaceSecret(
  ctx: MutationCtx,
  { _id: subject, organizationId, secret: before }: Doc<"webhooks">,
  secret: string,
  by: Act,
): Promise<void> {
  const previous = { secret: before, until: by.at + overlapMs };
  await ctx.db.patch("webhooks", subject, { secret, previous, changedAt: by.at });
  await record(ctx, { organizationId, ...by, action: "webhook.secret-replaced", subject });
}

/** Removes a webhook with its deliveries. */
export async function removeWebhook(ctx: MutationCtx, webhook: Doc<"webhooks">, by: Act): Promise<void> {
  const { _id: subject, organizationId } = webhook;
  await deleteWebhook(ctx, subject, by.at);
  const detail = `${nameOf(webhook)} (${new URL(webhook.url).host})`;
  await record(ctx, { organizationId, ...by, action: "webhook.removed", subject, detail });
}

/**
 * Deletes a webhook, and its deliveries in steps (`purgeWebhook` in pump.ts). Keeps that it was removed: a restore must not
 * bring it back.
 */
export async function deleteWebhook(
  ctx: MutationCtx,
  webhookId: Id<"webhooks">,
  removedAt: number,
): Promise<void> {
  if ((await ctx.db.get("webhooks", webhookId)) !== null) {
    await ctx.db.delete("webhooks", webhookId);
    await ctx.scheduler.runAfter(0, internal.webhooks.steps.purge, { webhookId });
  }
  const known = await ctx.db
    .query("removedWebhooks")
    .withIndex("by_webhook", (q) => q.eq("webhookId", webhookId))
    .unique();
  if (known === null) await ctx.db.insert("removedWebhooks", { webhookId, removedAt });
}
