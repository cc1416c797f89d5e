import { v } from "convex/values";
import { internal } from "../_generated/api.js";
import { internalAction, internalMutation } from "../_generated/server.js";
import { cancelJobsOf } from "../model/keys/keyEnds.ts";
import { internalMemberMutation } from "../model/memberCalls.ts";
import { allOrganizations } from "../model/organizations/create.ts";
import { currentKey } from "../model/texts/currentKey.ts";
import { destroy as destroyKey, newDataKey, rewrap, storeFirst } from "../model/texts/dataKeys.ts";
import { masterKey } from "../model/texts/masterKey.ts";
import { cancelWaiting } from "../model/trust/replays.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const ofOrganization = { organizationId: v.id("organizations") };

/** Makes an organization's first data key. An action, because the random numbers of mutations are seeded. */
export const makeFirst = internalAction({
  args: ofOrganization,
  returns: v.null(),
  handler: async (ctx, of) => {
    await ctx.runMutation(internal.data.keys.storeFirstKey, { ...of, fresh: newDataKey() });
    return null;
  },
});

export const storeFirstKey = internalMutation({
  args: { ...ofOrganization, fresh: v.string() },
  returns: v.null(),
  handler: async (ctx, { organizationId, fresh }) => {
    await storeFirst(ctx, organizationId, fresh);
    return null;
  },
});

/** Makes missing data keys, and encrypts those anew that an earlier master key encrypted. */
export const keep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if (masterKey() === null) return null;
    for (const { _id: organizationId } of await allOrganizations(ctx)) {
      const key = await currentKey(ctx, organizationId);
      if (key !== null) await rewrap(ctx, key);
      else await ctx.scheduler.runAfter(0, internal.data.keys.makeFirst, { organizationId });
    }
    return null;
  },
});

/** Destroys the data key of the member's organization. `fresh`: the next one. Refuses: conflict. */
export const destroy = internalMemberMutation("payloads.change")({
  args: { fresh: v.string() },
  returns: v.null(),
  handler: async (ctx, { fresh }) => {
    await destroyKey(ctx, ctx.organizationId, fresh, ctx.by);
    return null;
  },
});

const keysPerRun = 50;

/**
 * Cancels the jobs and batches of a page of an organization's API keys, whose requests nobody can read any more, and then its
 * replays.
 * @param before the moment of the key's destruction. Later requests are encrypted with the next key.
 */
export const cancelJobs = internalMutation({
  args: { ...ofOrganization, cursor: v.union(v.string(), v.null()), before: v.number() },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor, before }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query("apiKeys")
      .withIndex("by_organization_listed", (q) => q.eq("organizationId", organizationId))
      .paginate({ numItems: keysPerRun, cursor });
    const error = { code: "canceled", message: "The request's text was deleted." } as const;
    for (const key of page) {
      await cancelJobsOf(ctx, key, error, before);
      await ctx.scheduler.runAfter(0, internal.batches.endOfKey, {
        apiKeyId: key._id,
        before,
        keepsFiles: true,
      });
    }
    const next = { organizationId, cursor: continueCursor, before };
    if (isDone)
      await ctx.scheduler.runAfter(0, internal.data.keys.cancelReplays, { organizationId, cursor: null });
    else await ctx.scheduler.runAfter(0, internal.data.keys.cancelJobs, next);
    return null;
  },
});

/** Cancels a page of an organization's replays, which belong to no API key. Nobody can read their requests any more. */
export const cancelReplays = internalMutation({
  args: { ...ofOrganization, cursor: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { organizationId, cursor }) => {
    const next = await cancelWaiting(ctx, organizationId, cursor, Date.now());
    if (next === null) return null;
    await ctx.scheduler.runAfter(0, internal.data.keys.cancelReplays, { organizationId, cursor: next });
    return null;
  },
});
