import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { internal } from "../../_generated/api.js";
import { memberMutation, memberQuery, ownWebhook } from "../../model/memberCalls.ts";
import { boundedPage, refuse } from "../../model/refuse.ts";
import { deliveryState } from "../../model/validators/webhooks.ts";
import { replay, replayFailed as replayNext } from "../../model/webhooks/replay.ts";
import { deliveryView, viewDelivery } from "../../model/webhooks/views.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofWebhook = { webhookId: v.id("webhooks") };
const mostAtOnce = 50;

/** The deliveries of a webhook in the last 30 days, newest first: of one state, or all. Refuses: not_found. */
export const list = memberQuery("webhooks.read")({
  args: {
    ...ofWebhook,
    paginationOpts: paginationOptsValidator,
    state: v.optional(deliveryState),
  },
  returns: paginationResultValidator(deliveryView),
  handler: async (ctx, { webhookId, paginationOpts, state }) => {
    await ownWebhook(ctx, webhookId);
    const rows = ctx.db.query("webhookDeliveries");
    const ordered =
      state === undefined
        ? rows.withIndex("by_time", (q) => q.eq("webhookId", webhookId))
        : rows.withIndex("by_state", (q) => q.eq("webhookId", webhookId).eq("state", state));
    const found = await ordered.order("desc").paginate(boundedPage(paginationOpts, mostAtOnce));
    return { ...found, page: found.page.map(viewDelivery) };
  },
});

/** Sends a delivery again. Refuses: not_found, conflict (the webhook is disabled). */
export const resend = memberMutation("webhooks.change")({
  args: { deliveryId: v.id("webhookDeliveries") },
  returns: v.null(),
  handler: async (ctx, { deliveryId }) => {
    const delivery = await ctx.db.get("webhookDeliveries", deliveryId);
    if (delivery === null) refuse("not_found", "There is no such delivery. They are kept for 30 days.");
    const webhook = await ownWebhook(ctx, delivery.webhookId);
    await replay(ctx, webhook, delivery, ctx.at);
    await ctx.audit("webhook.resent", webhook._id, delivery.type);
    return null;
  },
});

/** Sends all deliveries again that failed since a time (ms epoch). Refuses: not_found, conflict (the webhook is disabled). */
export const resendFailed = memberMutation("webhooks.change")({
  args: { ...ofWebhook, since: v.number() },
  returns: v.null(),
  handler: async (ctx, { webhookId, since }) => {
    const webhook = await ownWebhook(ctx, webhookId);
    if (await replayNext(ctx, webhook, since, ctx.at))
      await ctx.scheduler.runAfter(0, internal.webhooks.steps.replayFailed, { webhookId, since });
    await ctx.audit("webhook.resent", webhookId, `all that failed since ${new Date(since).toISOString()}`);
    return null;
  },
});
