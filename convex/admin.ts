import { jobStatus, priority } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { actorWordsOf, subjectName } from "./model/audit.ts";
import { codeRow, codeRows, createCode, newCode, revokeCode } from "./model/devices/enrollmentCodes.ts";
import { deviceCount as countDevices, deviceRow, deviceRows } from "./model/devices/rows.ts";
import { reinstate, retire } from "./model/devices/service.ts";
import {
  may,
  memberMutation,
  memberQuery,
  ownCode,
  ownDevice,
  ownJob,
  ownKey,
  visibleOwners,
} from "./model/memberCalls.ts";
import { jobPage } from "./model/orders/jobPages.ts";
import { jobRow, withoutPrice } from "./model/orders/jobRow.ts";
import { canceled, cancelOrder, prioritized, setOrderPriority } from "./model/orders/orders.ts";
import {
  createKey as createApiKey,
  keyRow,
  keyRows,
  newKey,
  revokeKey as revoke,
} from "./model/organizations/apiKeys.ts";
import { summaryOf, summaryView } from "./model/organizations/summary.ts";
import { refuse } from "./model/refuse.ts";
import { liftRestriction } from "./model/requests/restriction.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const devices = memberQuery("devices.read")({
  args: {},
  returns: v.array(deviceRow),
  handler: async (ctx) => {
    const rows = await deviceRows(ctx, ctx.organizationId, visibleOwners(ctx));
    return may(ctx, "money.read") ? rows : rows.map((row) => ({ ...row, earnedMicro: null }));
  },
});

/** The number of devices (2,000 means 2,000 or more), and how many of them `devices` lists. */
export const deviceCount = memberQuery("devices.read")({
  args: {},
  returns: v.object({ total: v.number(), listed: v.number() }),
  handler: async (ctx) => await countDevices(ctx, ctx.organizationId, visibleOwners(ctx)),
});

/** Jobs of one status or of all, newest first. */
export const jobs = memberQuery("jobs.read")({
  args: { paginationOpts: paginationOptsValidator, status: v.optional(jobStatus) },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts, status }) => {
    const which = status === undefined ? { paginationOpts } : { paginationOpts, status };
    const page = await jobPage(ctx, ctx.organizationId, visibleOwners(ctx), which);
    return may(ctx, "money.read") ? page : { ...page, page: page.page.map(withoutPrice) };
  },
});

export const summary = memberQuery("overview.read")({
  args: {},
  returns: summaryView,
  handler: async (ctx) => {
    const summary = await summaryOf(ctx, ctx.organizationId);
    return may(ctx, "money.read") ? summary : { ...summary, money: null };
  },
});

export const keys = memberQuery("keys.read")({
  args: {},
  returns: v.array(keyRow),
  handler: async (ctx) => await keyRows(ctx, ctx.organizationId, visibleOwners(ctx), Date.now()),
});

/**
 * Registers a key that the browser made. `creditsMicro`: credits that it may spend, 1,000 by default. `dataClass`: only
 * devices with this data class get its jobs. Refuses: unauthorized, invalid, conflict.
 */
export const createKey = memberMutation("keys.create")({
  args: { ...newKey, dataClass: v.optional(v.string()) },
  returns: v.object({ keyId: v.id("apiKeys") }),
  handler: async (ctx, key) => {
    const { organizationId, by, member, scope } = ctx;
    // A requester's credits come from an administrator.
    if (scope === "own" && key.creditsMicro !== undefined)
      refuse("forbidden", "Only an administrator can say how many credits a key gets.");
    return { keyId: await createApiKey(ctx, { ...key, organizationId, owner: member._id }, by) };
  },
});

/** Revokes a key for good. Its waiting jobs are canceled; running ones may finish. */
export const revokeKey = memberMutation("keys.revoke")({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    await revoke(ctx, await ownKey(ctx, keyId), ctx.by);
    return null;
  },
});

/** Lifts a key's restriction before its end. Does nothing if the key is not restricted. */
export const liftKeyRestriction = memberMutation("keys.change")({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    const lifted = await liftRestriction(ctx, await ownKey(ctx, keyId), ctx.at);
    if (lifted) await ctx.audit("api-key.restriction-lifted", keyId);
    return null;
  },
});

export const enrollmentCodes = memberQuery("enrollment.read")({
  args: {},
  returns: v.array(codeRow),
  handler: async (ctx) => await codeRows(ctx, ctx.organizationId),
});

/** Registers a code that the browser made. It admits `uses` devices (1) within `expiresInHours` hours (24). */
export const createEnrollmentCode = memberMutation("enrollment.change")({
  args: newCode,
  returns: v.object({ codeId: v.id("enrolmentCodes") }),
  handler: async (ctx, code) => {
    const { organizationId, by } = ctx;
    return { codeId: await createCode(ctx, { ...code, organizationId }, by) };
  },
});

/** Revokes a code. Devices that it admitted stay. */
export const revokeEnrollmentCode = memberMutation("enrollment.change")({
  args: { codeId: v.id("enrolmentCodes") },
  returns: v.null(),
  handler: async (ctx, { codeId }) => {
    await revokeCode(ctx, await ownCode(ctx, codeId), ctx.by);
    return null;
  },
});

/** Takes a device out of service. It returns its jobs to the queue and gets no more. */
export const retireDevice = memberMutation("devices.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await retire(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/** Puts a retired device back into service. Refuses: not_found, conflict (it waits for approval). */
export const reinstateDevice = memberMutation("devices.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await reinstate(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/** Cancels an unfinished job of the organization. */
export const cancelJob = memberMutation("jobs.change")({
  args: { jobId: v.string() },
  returns: canceled,
  handler: async (ctx, { jobId }) => {
    const outcome = await cancelOrder(ctx, await ownJob(ctx, jobId));
    if (outcome.kind === "canceled") await ctx.audit("job.canceled", jobId);
    return outcome;
  },
});

/**
 * Changes the priority of a job of the organization that no device has started. Its key pays a higher price, if there is one.
 * Refuses: not_found, priority_not_allowed (the key's limit counts), quota_exceeded.
 */
export const setJobPriority = memberMutation("jobs.change")({
  args: { jobId: v.string(), priority },
  returns: prioritized,
  handler: async (ctx, { jobId, priority: wanted }) => {
    const order = await ownJob(ctx, jobId);
    const outcome = await setOrderPriority(ctx, order, wanted, ctx.at);
    if (outcome.kind === "changed") await ctx.audit("job.prioritized", jobId);
    return outcome;
  },
});

const maxPage = 100;

/** The audit trail, newest first. */
export const audit = memberQuery("audit.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(
    v.object({
      at: v.number(),
      /** "member", or a word for another actor. */
      actor: v.string(),
      /** The actor's name. */
      by: v.string(),
      action: v.string(),
      /** An id, the name of a model, or a word. */
      subject: v.string(),
      /** The subject's name, if it has one. */
      name: v.union(v.string(), v.null()),
      detail: v.union(v.string(), v.null()),
    }),
  ),
  handler: async (ctx, { paginationOpts }) => {
    const { organizationId } = ctx;
    const { cursor, endCursor } = paginationOpts;
    const numItems = Math.max(1, Math.min(maxPage, Math.floor(paginationOpts.numItems) || 1));
    const page = await ctx.db
      .query("audit")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
      .order("desc")
      .paginate({ cursor, ...(endCursor === undefined ? {} : { endCursor }), numItems });
    const rows = page.page.map(async (entry) => {
      const { at, actor, memberId, action, subject, detail } = entry;
      const by = await actorWordsOf(ctx, organizationId, memberId ?? actor);
      const name = await subjectName(ctx, organizationId, entry);
      return { at, actor, by, action, subject, name, detail: detail ?? null };
    });
    return { ...page, page: await Promise.all(rows) };
  },
});
