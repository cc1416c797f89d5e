import { jobStatus, priority } from "@gleaner/queue/validators";
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { adminMutation, adminQuery, ownCode, ownDevice, ownKey } from "./model/adminCalls.ts";
import { subjectName } from "./model/audit.ts";
import { findSession } from "./model/authenticate.ts";
import { codeRow, codeRows, createCode, newCode, revokeCode } from "./model/devices/enrollmentCodes.ts";
import { deviceCount as countDevices, deviceRow, deviceRows } from "./model/devices/rows.ts";
import { reinstate, retire } from "./model/devices/service.ts";
import { jobRow, jobRowOf } from "./model/orders/jobRow.ts";
import { canceled, cancelOrder, ownedOrder, prioritized, setOrderPriority } from "./model/orders/orders.ts";
import {
  createKey as createApiKey,
  keyRow,
  keyRows,
  newKey,
  revokeKey as revoke,
} from "./model/organizations/apiKeys.ts";
import { signedIn, signIn as signInByLink, signInOutcome } from "./model/organizations/signIn.ts";
import { summaryOf, summaryView } from "./model/organizations/summary.ts";
import { queue } from "./model/queue.ts";
import { present } from "./model/refuse.ts";
import { liftRestriction } from "./model/requests/restriction.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Trades a one-time link's token for a session of 12 hours. The browser made the secret `session`. */
export const signIn = mutation({
  args: { token: v.string(), session: v.string() },
  returns: signInOutcome,
  handler: async (ctx, args) => await signInByLink(ctx, args, Date.now()),
});

/** Ends the session. Does nothing if it has ended already. */
export const signOut = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, { session }) => {
    const found = await findSession(ctx, session);
    if (found !== null) await ctx.db.delete("sessions", found._id);
    return null;
  },
});

/** The signed-in admin; null without a valid session. */
export const me = query({
  args: { session: v.string() },
  returns: v.union(signedIn, v.null()),
  handler: async (ctx, { session }) => {
    const found = await findSession(ctx, session);
    if (found === null) return null;
    const { _id, name } = present(await ctx.db.get("organizations", found.organizationId), "organization");
    return { organization: { id: _id, name }, role: found.role, expiresAt: found.expiresAt };
  },
});

export const devices = adminQuery({
  args: {},
  returns: v.array(deviceRow),
  handler: async (ctx) => await deviceRows(ctx, ctx.organizationId),
});

/** The number of devices (2,000 means 2,000 or more), and how many of them `devices` lists. */
export const deviceCount = adminQuery({
  args: {},
  returns: v.object({ total: v.number(), listed: v.number() }),
  handler: async (ctx) => await countDevices(ctx, ctx.organizationId),
});

/** Jobs of one status or of all, newest first. */
export const jobs = adminQuery({
  args: { paginationOpts: paginationOptsValidator, status: v.optional(jobStatus) },
  returns: paginationResultValidator(jobRow),
  handler: async (ctx, { paginationOpts, status }) => {
    const { organizationId } = ctx;
    const page = await queue.list(ctx, organizationId, {
      paginationOpts,
      ...(status === undefined ? {} : { status }),
    });
    return { ...page, page: await Promise.all(page.page.map((job) => jobRowOf(ctx, organizationId, job))) };
  },
});

export const summary = adminQuery({
  args: {},
  returns: summaryView,
  handler: async (ctx) => await summaryOf(ctx, ctx.organizationId),
});

export const keys = adminQuery({
  args: {},
  returns: v.array(keyRow),
  handler: async (ctx) => await keyRows(ctx, ctx.organizationId, Date.now()),
});

/**
 * Registers a key that the browser made. `creditsMicro`: credits that it may spend, 1,000 by default. `dataClass`: only
 * devices with this data class get its jobs. Refuses: unauthorized, invalid, conflict.
 */
export const createKey = adminMutation({
  args: { ...newKey, dataClass: v.optional(v.string()) },
  returns: v.object({ keyId: v.id("apiKeys") }),
  handler: async (ctx, key) => {
    const { organizationId, at } = ctx;
    return { keyId: await createApiKey(ctx, { ...key, organizationId }, "admin", at) };
  },
});

/** Revokes a key for good. Its waiting jobs are canceled; running ones may finish. */
export const revokeKey = adminMutation({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    await revoke(ctx, await ownKey(ctx, keyId), "admin", ctx.at);
    return null;
  },
});

/** Lifts a key's restriction before its end. Does nothing if the key is not restricted. */
export const liftKeyRestriction = adminMutation({
  args: { keyId: v.id("apiKeys") },
  returns: v.null(),
  handler: async (ctx, { keyId }) => {
    const lifted = await liftRestriction(ctx, await ownKey(ctx, keyId), ctx.at);
    if (lifted) await ctx.audit("api-key.restriction-lifted", keyId);
    return null;
  },
});

export const enrollmentCodes = adminQuery({
  args: {},
  returns: v.array(codeRow),
  handler: async (ctx) => await codeRows(ctx, ctx.organizationId),
});

/** Registers a code that the browser made. It admits `uses` devices (1) within `expiresInHours` hours (24). */
export const createEnrollmentCode = adminMutation({
  args: newCode,
  returns: v.object({ codeId: v.id("enrolmentCodes") }),
  handler: async (ctx, code) => {
    const { organizationId, at } = ctx;
    return { codeId: await createCode(ctx, { ...code, organizationId }, "admin", at) };
  },
});

/** Revokes a code. Devices that it admitted stay. */
export const revokeEnrollmentCode = adminMutation({
  args: { codeId: v.id("enrolmentCodes") },
  returns: v.null(),
  handler: async (ctx, { codeId }) => {
    await revokeCode(ctx, await ownCode(ctx, codeId), "admin", ctx.at);
    return null;
  },
});

/** Takes a device out of service. It returns its jobs to the queue and gets no more. */
export const retireDevice = adminMutation({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await retire(ctx, await ownDevice(ctx, deviceId), "admin", ctx.at);
    return null;
  },
});

/** Puts a retired device back into service. Refuses: not_found, conflict (it waits for approval). */
export const reinstateDevice = adminMutation({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await reinstate(ctx, await ownDevice(ctx, deviceId), ctx.at);
    return null;
  },
});

/** Cancels an unfinished job of the organization. */
export const cancelJob = adminMutation({
  args: { jobId: v.string() },
  returns: canceled,
  handler: async (ctx, { jobId }) => {
    const outcome = await cancelOrder(ctx, await ownedOrder(ctx, ctx.organizationId, jobId));
    if (outcome.kind === "canceled") await ctx.audit("job.canceled", jobId);
    return outcome;
  },
});

/**
 * Changes the priority of a job of the organization that no device has started. Its key pays a higher price, if there is one.
 * Refuses: not_found, priority_not_allowed (the key's limit counts), quota_exceeded.
 */
export const setJobPriority = adminMutation({
  args: { jobId: v.string(), priority },
  returns: prioritized,
  handler: async (ctx, { jobId, priority: wanted }) => {
    const order = await ownedOrder(ctx, ctx.organizationId, jobId);
    const outcome = await setOrderPriority(ctx, order, wanted, ctx.at);
    if (outcome.kind === "changed") await ctx.audit("job.prioritized", jobId);
    return outcome;
  },
});

const maxPage = 100;

/** The audit trail, newest first. */
export const audit = adminQuery({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(
    v.object({
      at: v.number(),
      actor: v.string(),
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
      const { at, actor, action, subject, detail } = entry;
      const name = await subjectName(ctx, organizationId, entry);
      return { at, actor, action, subject, name, detail: detail ?? null };
    });
    return { ...page, page: await Promise.all(rows) };
  },
});
