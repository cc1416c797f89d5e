import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { internalMutation, internalQuery } from "../_generated/server.js";
import { internalMemberMutation } from "../model/memberCalls.ts";
import { owned } from "../model/refuse.ts";
import { webhookEvent } from "../model/validators/webhooks.ts";
import { addWebhook, replaceSecret } from "../model/webhooks/endpoints.ts";
import {
  deleteOld,
  dueStep,
  nextDue,
  noteTries,
  purgeWebhook,
  resumePumps,
  settle as settleRun,
  tried,
} from "../model/webhooks/pump.ts";
import { replayFailed as replayNext } from "../model/webhooks/replay.ts";
import { dropDeliveries } from "../model/webhooks/targets.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * The transactions of the actions that call webhooks.
 */

const ofWebhook = { webhookId: v.id("webhooks") };
const ofRun = { ...ofWebhook, wakeAt: v.number() };

/** The end of `console/webhooks/endpoints.add`. The secret is sealed. */
export const store = internalMemberMutation("webhooks.change")({
  args: {
    name: v.string(),
    url: v.string(),
    events: v.array(webhookEvent),
    apiKeyId: v.union(v.id("apiKeys"), v.null()),
    secret: v.string(),
  },
  returns: v.id("webhooks"),
  handler: async (ctx, webhook): Promise<Id<"webhooks">> =>
    await addWebhook(ctx, ctx.organizationId, webhook, ctx.by),
});

/** The end of `console/webhooks/endpoints.replaceSecret`. The secret is sealed. Refuses: not_found. */
export const storeSecret = internalMemberMutation("webhooks.change")({
  args: { ...ofWebhook, secret: v.string() },
  returns: v.null(),
  handler: async (ctx, { webhookId, secret }) => {
    const webhook = owned(await ctx.db.get("webhooks", webhookId), ctx.organizationId, "webhook");
    await replaceSecret(ctx, webhook, secret, ctx.by);
    return null;
  },
});

export const next = internalQuery({
  args: ofRun,
  returns: v.union(dueStep, v.null()),
  handler: async (ctx, of) => await nextDue(ctx, of, Date.now()),
});

export const noted = internalMutation({
  args: { ...ofWebhook, tries: v.array(tried) },
  returns: v.null(),
  handler: async (ctx, { webhookId, tries }) => {
    await noteTries(ctx, webhookId, tries, Date.now());
    return null;
  },
});

/** Ends deliveries that the webhook must not get any more. */
export const drop = internalMutation({
  args: { ...ofWebhook, deliveryIds: v.array(v.id("webhookDeliveries")) },
  returns: v.null(),
  handler: async (ctx, { webhookId, deliveryIds }) => {
    await dropDeliveries(ctx, webhookId, deliveryIds, Date.now());
    return null;
  },
});

export const settle = internalMutation({
  args: { ...ofRun, isLong: v.boolean() },
  returns: v.boolean(),
  handler: async (ctx, { isLong, ...of }) => await settleRun(ctx, of, isLong, Date.now()),
});

/** Sends further deliveries again that failed. */
export const replayFailed = internalMutation({
  args: { ...ofWebhook, since: v.number() },
  returns: v.null(),
  handler: async (ctx, { webhookId, since }) => {
    const webhook = await ctx.db.get("webhooks", webhookId);
    if (webhook === null || webhook.disabled !== undefined) return null;
    if (await replayNext(ctx, webhook, since, Date.now()))
      await ctx.scheduler.runAfter(0, internal.webhooks.steps.replayFailed, { webhookId, since });
    return null;
  },
});

export const resume = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await resumePumps(ctx, Date.now());
    return null;
  },
});

/** Deletes old deliveries. */
export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (await deleteOld(ctx, Date.now())) await ctx.scheduler.runAfter(0, internal.webhooks.steps.sweep, {});
    return null;
  },
});

/** Deletes the deliveries of a removed webhook. */
export const purge = internalMutation({
  args: ofWebhook,
  returns: v.null(),
  handler: async (ctx, { webhookId }) => {
    if (await purgeWebhook(ctx, webhookId))
      await ctx.scheduler.runAfter(0, internal.webhooks.steps.purge, { webhookId });
    return null;
  },
});
