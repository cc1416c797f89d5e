import { priority } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import {
  createKey as createApiKey,
  findKey,
  keyName,
  keyNames,
  keyPage,
  keyRow,
  newKey,
} from "../model/keys/apiKeys.ts";
import { givenAccess, setAccess as changeAccess } from "../model/keys/keyAccess.ts";
import { revokeKey } from "../model/keys/keyEnds.ts";
import { limitKey } from "../model/keys/keyLimits.ts";
import { setRights as setRightsOf } from "../model/keys/keyRights.ts";
import { endFormerSecret, rotateKey } from "../model/keys/rotation.ts";
import { changeableKey, memberMutation, memberQuery, ownKey, visibleOwners } from "../model/memberCalls.ts";
import { asMutable } from "../model/mutable.ts";
import { checkedOwner } from "../model/owners.ts";
import { operatorsOrigins, ownOrigins, setOrigins as setOriginsOf } from "../model/pageOrigins.ts";
import { handOverKey } from "../model/people/handOver.ts";
import { refuse } from "../model/refuse.ts";
import { liftRestriction as liftRestrictionOf } from "../model/requests/restriction.ts";
import { deviceNeeds } from "../model/validators/keys.ts";
import { owner } from "../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** API keys, newest first, at most 50 a page. `keyId`: only that one, or none if the member does not see it. */
export const list = memberQuery("keys.read")({
  args: { paginationOpts: paginationOptsValidator, keyId: v.optional(v.string()) },
  returns: paginationResultValidator(keyRow),
  handler: async (ctx, { paginationOpts, keyId }) => {
    const { organizationId } = ctx;
    const [owners, now] = [visibleOwners(ctx), Date.now()];
    if (keyId === undefined) return await keyPage(ctx, organizationId, owners, { now, paginationOpts });
    const page = await findKey(ctx, organizationId, owners, { now, text: keyId });
    return { page, isDone: true, continueCursor: "" };
  },
});

/** The newest 200 keys of `list` by name. It does not run again when a balance changes. */
export const names = memberQuery("keys.read")({
  args: {},
  returns: v.array(keyName),
  handler: async (ctx) => await keyNames(ctx, ctx.organizationId, visibleOwners(ctx)),
});

const origins = v.union(v.array(v.string()), v.null());

/**
 * The origins whose pages may call the API in browsers, beside the console. `own`: the organization's list; null: it has none, and the operator's counts.
 * `operators`: null: all pages.
 */
export const pageOrigins = memberQuery("keys.read")({
  args: {},
  returns: v.object({ own: origins, operators: origins }),
  handler: async (ctx) => ({
    own: await ownOrigins(ctx, ctx.organizationId),
    operators: asMutable(operatorsOrigins()),
  }),
});

/**
 * Sets the organization's list; null: none. ["*"]: all pages. Refuses: invalid.
 * @returns the list before. The same call with it undoes the change.
 */
export const setOrigins = memberMutation("keys.change")({
  args: { origins },
  returns: origins,
  handler: async (ctx, { origins: wanted }) => await setOriginsOf(ctx, ctx.organizationId, wanted, ctx.by),
});

/**
 * Registers a key that the browser made. `creditsMicro`: credits that it may spend, 1,000,000 by default; a requester's key has none.
 * `dataClass`: only devices with this data class get its jobs. `concurrency`: jobs that may run at once; left out: no limit. Refuses: unauthorized,
 * invalid, conflict, not_found (a model).
 */
export const create = memberMutation("keys.create")({
  args: {
    ...newKey,
    dataClass: v.optional(v.string()),
    access: v.optional(v.object(givenAccess)),
    concurrency: v.optional(v.number()),
  },
  returns: v.object({ keyId: v.id("apiKeys") }),
  handler: async (ctx, { concurrency, ...key }) => {
    const { organizationId, by, member, scope } = ctx;
    if (scope === "own" && key.creditsMicro !== undefined)
      refuse("forbidden", "Only an administrator can say how many credits a key gets.");
    // Credits of a new key come from nobody. If requesters could make them, a friend's device could earn them and have them paid out.
    const credits = scope === "own" ? { creditsMicro: 0n } : {};
    const keyId = await createApiKey(ctx, { ...key, ...credits, organizationId, owner: member._id }, by);
    if (concurrency !== undefined)
      await limitKey(ctx, organizationId, { keyId, concurrency, weight: null }, by);
    return { keyId };
  },
});

/** Hands a key over to a member or a team. Refuses: not_found, invalid (the key of canaries). */
export const setOwner = memberMutation("keys.hand-over")({
  args: { keyId: v.id("apiKeys"), owner },
  returns: v.null(),
  handler: async (ctx, { keyId, owner: to }) => {
    const key = await changeableKey(ctx, keyId);
    await handOverKey(ctx, key, await checkedOwner(ctx, ctx.organizationId, to), ctx.by);
    return null;
  },
});

/**
 * Gives a key a new secret, which the browser made. The present one works for `overlapMs` more. Refuses: not_found, revoked, expired,
 * invalid, conflict.
 */
export const rotate = memberMutation("keys.create")({
  args: { keyId: v.id("apiKeys"), keyHash: v.string(), prefix: v.string(), overlapMs: v.number() },
  returns: v.null(),
  handler: async (ctx, { keyId, ...secret }) => {
    await rotateKey(ctx, await changeableKey(ctx, keyId), secret, ctx.by);
    return null;
  },
});

/** Ends a key's former secret before its time. Does nothing without one. Refuses: not_found. */
export const endFormer = memberMutation("keys.revoke")({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    await endFormerSecret(ctx, await ownKey(ctx, keyId), ctx.by);
    return null;
  },
});

/** Revokes a key for good. Its jobs and batches are canceled, also running ones. */
export const revoke = memberMutation("keys.revoke")({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    await revokeKey(ctx, await ownKey(ctx, keyId), ctx.by);
    return null;
  },
});

/** Lifts a key's restriction before its end. Does nothing if the key is not restricted. Refuses: not_found, invalid. */
export const liftRestriction = memberMutation("keys.change")({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    const lifted = await liftRestrictionOf(ctx, await changeableKey(ctx, keyId), ctx.at);
    if (lifted) await ctx.audit("api-key.restriction-lifted", keyId);
    return null;
  },
});

/**
 * Sets what a key may ask for, and what devices its jobs require. `mayRequire`: whether its requests may require more. A field
 * that is left out stays. Refuses: not_found, invalid.
 */
export const setRights = memberMutation("keys.change")({
  args: {
    keyId: v.id("apiKeys"),
    highestPriority: v.optional(priority),
    requirements: v.optional(deviceNeeds),
    mayRequire: v.optional(v.boolean()),
    highestDataClass: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { keyId, ...rights }) => {
    await setRightsOf(ctx, await changeableKey(ctx, keyId), rights, ctx.by);
    return null;
  },
});

/**
 * Sets for what, from where, until when and how much a key may be used. A field that is left out stays. Refuses: not_found, invalid,
 * conflict (the server does not know the addresses of its callers).
 */
export const setAccess = memberMutation("keys.change")({
  args: { keyId: v.id("apiKeys"), ...givenAccess },
  returns: v.null(),
  handler: async (ctx, { keyId, ...given }) => {
    await changeAccess(ctx, await changeableKey(ctx, keyId), given, ctx.by);
    return null;
  },
});

/**
 * Sets an API key's limits. `concurrency`: jobs that may run at once; null: no limit. `weight`: its turns for each turn of
 * a key of weight 1, at most 16; null: 1.
 */
export const setLimit = memberMutation("keys.change")({
  args: {
    keyId: v.id("apiKeys"),
    concurrency: v.union(v.number(), v.null()),
    weight: v.union(v.number(), v.null()),
  },
  returns: v.null(),
  handler: async (ctx, limits) => {
    await changeableKey(ctx, limits.keyId);
    await limitKey(ctx, ctx.organizationId, limits, ctx.by);
    return null;
  },
});
