import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import { arrivalRow, pendingDevices } from "../model/devices/arrivals.ts";
import { historyRow, historyRowOf } from "../model/devices/history.ts";
import { labelDevice as labelDeviceWith } from "../model/devices/labels.ts";
import { limitDevice } from "../model/devices/limits.ts";
import { attemptOutcomes, outcomesOf } from "../model/devices/outcomes.ts";
import { endRequestedPause, pauseOnRequest } from "../model/devices/pauses.ts";
import { deviceRow, deviceRowOf } from "../model/devices/rows.ts";
import {
  approve as approveDevice,
  refuseDevice,
  reinstate as reinstateDevice,
  resume as resumeDevice,
  retire as retireDevice,
} from "../model/devices/service.ts";
import { oldestVersionOf, requireVersion } from "../model/devices/versions.ts";
import { fleetCounts, fleetCountsOf, ownCounts } from "../model/fleet/counts.ts";
import { journal as journalSpans, journalOf } from "../model/fleet/journal.ts";
import { listArgs, listedDevice, listingPage } from "../model/fleet/listingPage.ts";
import { earnedBetween } from "../model/ledger/balance.ts";
import {
  may,
  memberMutation,
  memberQuery,
  ownDevice,
  ownOwner,
  visibleOwners,
} from "../model/memberCalls.ts";
import { checkedOwner } from "../model/owners.ts";
import { giversAfter, handOverDevice } from "../model/people/handOver.ts";
import { queue } from "../model/queue.ts";
import { boundedPage, refuse as refuseCall } from "../model/refuse.ts";
import { payNow } from "../model/trust/payNow.ts";
import { deviceLimits } from "../model/validators/devices.ts";
import { owner } from "../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Devices that fit all filters, at most 50 a page. A page may be short although more follow. `get` has the rest of a row.
 * Refuses: invalid, not_found (the owner).
 */
export const list = memberQuery("devices.read")({
  args: { ...listArgs, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(listedDevice),
  handler: async (ctx, { paginationOpts, ...wanted }) => {
    if (wanted.owner !== undefined) await ownOwner(ctx, wanted.owner);
    const of = { organizationId: ctx.organizationId, owners: visibleOwners(ctx) };
    return await listingPage(ctx, of, wanted, paginationOpts);
  },
});

/** One device, with what it does now. Refuses: not_found. */
export const get = memberQuery("devices.read")({
  args: { deviceId: v.id("devices") },
  returns: deviceRow,
  handler: async (ctx, { deviceId }) => {
    const row = await deviceRowOf(ctx, await ownDevice(ctx, deviceId));
    return may(ctx, "money.read") ? row : { ...row, earnedMicro: null };
  },
});

/** Devices by state, group, system and version: at most a minute old. Members who see only their own devices get those. */
export const counts = memberQuery("devices.read")({
  args: {},
  returns: fleetCounts,
  handler: async (ctx) => {
    const owners = visibleOwners(ctx);
    return owners === null ? await fleetCountsOf(ctx, ctx.organizationId) : await ownCounts(ctx, owners);
  },
});

/** The states of a device in the last days with their reasons, oldest first. Each lasts until the next one. Refuses: not_found. */
export const journal = memberQuery("devices.read")({
  args: { deviceId: v.id("devices") },
  returns: journalSpans,
  handler: async (ctx, { deviceId }) => await journalOf(ctx, (await ownDevice(ctx, deviceId))._id),
});

const attemptRow = v.object({ ...historyRow.fields, jobId: v.string() });

/** A device's attempts at jobs, newest first. Refuses: not_found. */
export const attempts = memberQuery("devices.read")({
  args: { deviceId: v.id("devices"), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(attemptRow),
  handler: async (ctx, { deviceId, paginationOpts }) => {
    const { organizationId, workerId } = await ownDevice(ctx, deviceId);
    const page = await queue.workers.history(ctx, organizationId, {
      workerId,
      paginationOpts: boundedPage(paginationOpts, 50),
    });
    const checked = await payNow(ctx, deviceId, page.page);
    const rows = page.page.map((attempt): Infer<typeof attemptRow> => {
      const { jobId } = attempt;
      return { ...historyRowOf(attempt, checked.get(jobId)), jobId };
    });
    return {
      ...page,
      page: may(ctx, "money.read")
        ? rows
        : rows.map(({ pay: _, ...row }): Infer<typeof attemptRow> => ({
            ...row,
            earnedMicro: "0",
            explanation: "",
          })),
    };
  },
});

/** How the device's last 100 attempts ended. Refuses: not_found. */
export const outcomes = memberQuery("devices.read")({
  args: { deviceId: v.id("devices") },
  returns: attemptOutcomes,
  handler: async (ctx, { deviceId }) => await outcomesOf(ctx, await ownDevice(ctx, deviceId)),
});

/** Micro-credits that a device earned in a time of at most a day, such as a day of the caller's. Refuses: not_found, invalid. */
export const earned = memberQuery("devices.read")({
  args: { deviceId: v.id("devices"), from: v.number(), to: v.number() },
  returns: v.union(v.int64(), v.null()),
  handler: async (ctx, { deviceId, from, to }) => {
    const { _id } = await ownDevice(ctx, deviceId);
    if (!(to > from && to - from <= 25 * 3_600_000)) refuseCall("invalid", "Ask for one day at a time.");
    return may(ctx, "money.read") ? await earnedBetween(ctx, _id, from, to) : null;
  },
});

/** The devices that wait for approval, oldest first, at most 100. */
export const pending = memberQuery("enrollment.read")({
  args: {},
  returns: v.array(arrivalRow),
  handler: async (ctx) => await pendingDevices(ctx, ctx.organizationId),
});

/** Takes a pending device into service. Refuses: not_found, conflict (it does not wait anymore). */
export const approve = memberMutation("enrollment.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await approveDevice(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/** Retires a pending device. Refuses: not_found, conflict (it does not wait anymore). */
export const refuse = memberMutation("enrollment.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await refuseDevice(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/** Hands a device over to a member or a team. Refuses: not_found. */
export const setOwner = memberMutation("devices.hand-over")({
  args: { deviceId: v.id("devices"), owner },
  returns: v.null(),
  handler: async (ctx, { deviceId, owner: to }) => {
    const device = await ownDevice(ctx, deviceId);
    const heir = await checkedOwner(ctx, ctx.organizationId, to);
    await handOverDevice(ctx, device, heir, ctx.by, giversAfter(device, ctx));
    return null;
  },
});

/** Takes a device out of service. It returns its jobs to the queue and gets no more. */
export const retire = memberMutation("devices.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await retireDevice(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/** Puts a retired device back into service. Refuses: not_found, conflict (it waits for approval). */
export const reinstate = memberMutation("devices.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await reinstateDevice(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/** Resumes a device that was paused because it failed too often. Refuses: not_found. */
export const resume = memberMutation("devices.change")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await resumeDevice(ctx, await ownDevice(ctx, deviceId), ctx.by);
    return null;
  },
});

/**
 * Pauses a device until a moment, or until somebody ends the pause (null). With `finish` it finishes its jobs first, else it
 * returns them. Refuses: not_found, conflict, invalid.
 */
export const pause = memberMutation("devices.pause")({
  args: { deviceId: v.id("devices"), until: v.union(v.number(), v.null()), finish: v.optional(v.boolean()) },
  returns: v.null(),
  handler: async (ctx, { deviceId, until, finish = false }) => {
    const device = await ownDevice(ctx, deviceId);
    await pauseOnRequest(ctx, device, { until, finish, ofOrganization: ctx.scope === "all" }, ctx.by);
    return null;
  },
});

/** Ends such a pause. Refuses: not_found, forbidden (the organization paused the device, and the member only owns it). */
export const endPause = memberMutation("devices.pause")({
  args: { deviceId: v.id("devices") },
  returns: v.null(),
  handler: async (ctx, { deviceId }) => {
    await endRequestedPause(ctx, await ownDevice(ctx, deviceId), ctx.scope === "all", ctx.by);
    return null;
  },
});

/**
 * Sets what a device may do, in place of earlier limits. A missing field allows everything that the device offers. Refuses:
 * not_found, invalid.
 */
export const limit = memberMutation("devices.change")({
  args: { deviceId: v.id("devices"), limits: deviceLimits },
  returns: v.null(),
  handler: async (ctx, { deviceId, limits }) => {
    await limitDevice(ctx, await ownDevice(ctx, deviceId), limits, ctx.by);
    return null;
  },
});

/** The oldest version of Gleaner whose devices get jobs. */
export const oldestVersion = memberQuery("enrollment.read")({
  args: {},
  returns: v.string(),
  handler: async (ctx) => await oldestVersionOf(ctx, ctx.organizationId),
});

/** Sets that version. Devices with an older one get no more jobs. Refuses: invalid. */
export const setOldestVersion = memberMutation("devices.change")({
  args: { version: v.string() },
  returns: v.null(),
  handler: async (ctx, { version }) => {
    await requireVersion(ctx, ctx.organizationId, version, ctx.by);
    return null;
  },
});

/** Sets a device's groups, its tags and the data classes that it may get. Jobs can require them. */
export const label = memberMutation("devices.change")({
  args: {
    deviceId: v.id("devices"),
    groups: v.array(v.string()),
    tags: v.optional(v.array(v.string())),
    dataClasses: v.array(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { deviceId, ...labels }) => {
    await labelDeviceWith(ctx, await ownDevice(ctx, deviceId), labels, ctx.by);
    return null;
  },
});
