import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import type { Id } from "./_generated/dataModel.js";
import { internalAction, internalMutation, internalQuery } from "./_generated/server.js";
import { deliveryOf, noteDelivery, startAlerts, tryDelivery } from "./model/alerts/deliver.ts";
import { post } from "./model/alerts/post.ts";
import { addWebhook } from "./model/alerts/webhooks.ts";
import { internalMemberMutation } from "./model/memberCalls.ts";
import { unseal } from "./model/signIn/sealed.ts";
import { attentionItem } from "./model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofDelivery = { deliveryId: v.id("alertDeliveries") };

/** Tells an organization's webhooks what began and what ended. */
export const tell = internalMutation({
  args: {
    organizationId: v.id("organizations"),
    began: v.array(attentionItem),
    ended: v.array(attentionItem),
    at: v.number(),
  },
  returns: v.null(),
  handler: async (ctx, { organizationId, ...news }) => {
    await startAlerts(ctx, organizationId, news);
    return null;
  },
});

/** The end of `console/alerts.add`. */
export const storeWebhook = internalMemberMutation("alerts.change")({
  args: { url: v.string(), secret: v.string() },
  returns: v.id("webhooks"),
  handler: async (ctx, webhook): Promise<Id<"webhooks">> =>
    await addWebhook(ctx, ctx.organizationId, webhook, ctx.by),
});

export const startTry = internalMutation({
  args: { ...ofDelivery, tries: v.number() },
  returns: v.null(),
  handler: async (ctx, { deliveryId, tries }) => {
    await tryDelivery(ctx, deliveryId, tries);
    return null;
  },
});

export const delivery = internalQuery({
  args: ofDelivery,
  returns: v.union(v.object({ url: v.string(), secret: v.string(), body: v.string() }), v.null()),
  handler: async (ctx, { deliveryId }) => await deliveryOf(ctx, deliveryId),
});

export const noted = internalMutation({
  args: { ...ofDelivery, error: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { deliveryId, error }) => {
    await noteDelivery(ctx, deliveryId, error, Date.now());
    return null;
  },
});

/** Delivers one message. */
export const deliver = internalAction({
  args: ofDelivery,
  returns: v.null(),
  handler: async (ctx, { deliveryId }): Promise<null> => {
    const message = await ctx.runQuery(internal.alerts.delivery, { deliveryId });
    if (message === null) return null;
    const secret = unseal(message.secret, "webhook secret");
    const error = await post({ ...message, secret }, Date.now());
    await ctx.runMutation(internal.alerts.noted, { deliveryId, error });
    return null;
  },
});
