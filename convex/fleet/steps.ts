import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import { internalAction, internalMutation, internalQuery } from "../_generated/server.js";
import { watchAttention as watch } from "../model/alerts/attention.ts";
import { watchBudgets as warnOfBudgets } from "../model/alerts/budgetWarnings.ts";
import { noteCapacity } from "../model/batches/forecast.ts";
import {
  changedBatch,
  changedPage,
  countFleet as countListed,
  dueBatch,
  followFleet as follow,
  uncountedListings,
} from "../model/fleet/countListings.ts";
import { countBatch } from "../model/fleet/counts.ts";
import { relist } from "../model/fleet/listing.ts";
import { allOrganizations } from "../model/organizations/create.ts";
import {
  depthOf as depthNowOf,
  followDepth,
  readDepth,
  storeDepth,
} from "../model/organizations/depthSamples.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/*
 * Once a minute an action goes over the devices of each organization that changed: model/fleet/countListings.ts. Each read and each
 * write is a transaction of its own, so a fleet of any size never waits for it.
 */

/** Brings the lists and the counts of devices up to date, in each organization. */
export const followFleets = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      await ctx.scheduler.runAfter(0, internal.fleet.steps.followFleet, { organizationId });
    }
    return null;
  },
});

/** Does so for one organization, and notes its queue's depth and warns of its budgets. The functions below are its steps. */
export const followFleet = internalAction({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    await follow(ctx, organizationId);
    await followDepth(ctx, organizationId);
    await ctx.runMutation(internal.fleet.steps.watchBudgets, { organizationId });
    return null;
  },
});

export const depthNow = internalQuery({
  args: { organizationId: v.id("organizations") },
  returns: v.array(depthNowOf),
  handler: async (ctx, { organizationId }) => await readDepth(ctx, organizationId),
});

export const addDepth = internalMutation({
  args: { organizationId: v.id("organizations"), depths: v.array(depthNowOf) },
  returns: v.null(),
  handler: async (ctx, { organizationId, depths }) => {
    const now = Date.now();
    await storeDepth(ctx, organizationId, depths, now);
    await noteCapacity(ctx, organizationId, depths, now);
    return null;
  },
});

/** Counts devices whose groups were just changed, so that the new groups can be chosen. */
export const countFleet = internalAction({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    await countListed(ctx, organizationId, null);
    return null;
  },
});

export const changedDevices = internalQuery({
  args: { organizationId: v.id("organizations"), cursor: v.union(v.string(), v.null()) },
  returns: changedPage,
  handler: async (ctx, { organizationId, cursor }) => await changedBatch(ctx, organizationId, cursor),
});

export const dueDevices = internalQuery({
  args: { organizationId: v.id("organizations"), now: v.number() },
  returns: v.array(v.id("devices")),
  handler: async (ctx, { organizationId, now }) => await dueBatch(ctx, organizationId, now),
});

export const watchBudgets = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    await warnOfBudgets(ctx, organizationId, Date.now());
    return null;
  },
});

export const watchAttention = internalMutation({
  args: { organizationId: v.id("organizations") },
  returns: v.null(),
  handler: async (ctx, { organizationId }) => {
    await watch(ctx, organizationId, Date.now());
    return null;
  },
});

export const relistDevices = internalMutation({
  args: { deviceIds: v.array(v.id("devices")) },
  returns: v.null(),
  handler: async (ctx, { deviceIds }) => {
    for (const deviceId of deviceIds) await relist(ctx, deviceId);
    return null;
  },
});

export const uncounted = internalQuery({
  args: { organizationId: v.id("organizations") },
  returns: v.array(v.id("deviceListings")),
  handler: async (ctx, { organizationId }) => await uncountedListings(ctx, organizationId),
});

export const countListings = internalMutation({
  args: {
    organizationId: v.id("organizations"),
    listingIds: v.array(v.id("deviceListings")),
    readTo: v.union(v.number(), v.null()),
  },
  returns: v.null(),
  handler: async (ctx, { organizationId, ...batch }) => {
    await countBatch(ctx, organizationId, batch);
    return null;
  },
});
