import { v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import { memberAction, memberMutation, memberQuery, ownWebhook } from "../../model/memberCalls.ts";
import { refuse } from "../../model/refuse.ts";
import { seal } from "../../model/signIn/sealed.ts";
import { webhookEvent } from "../../model/validators/webhooks.ts";
import { send } from "../../model/webhooks/deliveries.ts";
import { disableWebhook, enableWebhook } from "../../model/webhooks/disable.ts";
import { changeWebhook, removeWebhook, webhooksOf } from "../../model/webhooks/endpoints.ts";
import { newWebhookSecret } from "../../model/webhooks/sign.ts";
import { viewWebhook, webhookView } from "../../model/webhooks/views.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofWebhook = { webhookId: v.id("webhooks") };
const settings = {
  name: v.string(),
  url: v.string(),
  events: v.array(webhookEvent),
  /** Null: events of all keys. */
  apiKeyId: v.union(v.id("apiKeys"), v.null()),
};

/** The webhooks of the organization, without their secrets. */
export const list = memberQuery("webhooks.read")({
  args: {},
  returns: v.array(webhookView),
  handler: async (ctx) =>
    await Promise.all(
      (await webhooksOf(ctx, ctx.organizationId)).map(async (webhook) => await viewWebhook(ctx, webhook)),
    ),
});

/** Adds a webhook. @returns its secret, which is shown once. Refuses: invalid, not_found (the key), conflict. */
export const add = memberAction("webhooks.change")({
  args: settings,
  returns: v.object({ webhookId: v.id("webhooks"), secret: v.string() }),
  handler: async (ctx, webhook): Promise<{ webhookId: Id<"webhooks">; secret: string }> => {
    const secret = newWebhookSecret();
    const sealed = { ...webhook, secret: seal(secret, "webhook secret") };
    return { webhookId: await ctx.runMutation(internal.webhooks.steps.store, sealed), secret };
  },
});

/** Changes a webhook's settings. Refuses: invalid, not_found. */
export const change = memberMutation("webhooks.change")({
  args: { ...ofWebhook, ...settings },
  returns: v.null(),
  handler: async (ctx, { webhookId, ...chosen }) => {
    await changeWebhook(ctx, await ownWebhook(ctx, webhookId), chosen, ctx.by);
    return null;
  },
});

/** Makes a new secret. The earlier one signs for a day more. @returns the new one, which is shown once. Refuses: not_found. */
export const replaceSecret = memberAction("webhooks.change")({
  args: ofWebhook,
  returns: v.object({ secret: v.string() }),
  handler: async (ctx, of): Promise<{ secret: string }> => {
    const secret = newWebhookSecret();
    await ctx.runMutation(internal.webhooks.steps.storeSecret, {
      ...of,
      secret: seal(secret, "webhook secret"),
    });
    return { secret };
  },
});

/** Sends a webhook nothing more, or goes on. Refuses: not_found, conflict. */
export const setEnabled = memberMutation("webhooks.change")({
  args: { ...ofWebhook, enabled: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { webhookId, enabled }) => {
    const webhook = await ownWebhook(ctx, webhookId);
    if (enabled) await enableWebhook(ctx, webhook, ctx.by);
    else await disableWebhook(ctx, webhook, "member", ctx.by);
    return null;
  },
});

/** Removes a webhook with its deliveries. Refuses: not_found. */
export const remove = memberMutation("webhooks.change")({
  args: ofWebhook,
  returns: v.null(),
  handler: async (ctx, { webhookId }) => {
    await removeWebhook(ctx, await ownWebhook(ctx, webhookId), ctx.by);
    return null;
  },
});

/** Sends a message that says that it is a test. Refuses: not_found, conflict (the webhook is disabled). */
export const test = memberMutation("webhooks.change")({
  args: ofWebhook,
  returns: v.null(),
  handler: async (ctx, { webhookId }) => {
    const webhook = await ownWebhook(ctx, webhookId);
    if (webhook.disabled !== undefined) refuse("conflict", "This webhook is disabled. Enable it first.");
    const data = { sentence: "This is a test of a webhook of Gleaner. Nothing is wrong." };
    await send(ctx, webhook, { type: "test", data }, webhook.apiKeyId ?? null, ctx.at);
    return null;
  },
});
