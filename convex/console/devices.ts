import { v } from "convex/values";
import { arrivalRow, pendingDevices } from "../model/devices/arrivals.ts";
import { labelDevice as labelDeviceWith } from "../model/devices/labels.ts";
import { limitDevice } from "../model/devices/limits.ts";
import { deviceCount as countDevices, deviceRow, deviceRows } from "../model/devices/rows.ts";
import {
  approve as approveDevice,
  refuseDevice,
  reinstate as reinstateDevice,
  resume as resumeDevice,
  retire as retireDevice,
} from "../model/devices/service.ts";
import { oldestVersionOf, requireVersion } from "../model/devices/versions.ts";
import { may, memberMutation, memberQuery, ownDevice, visibleOwners } from "../model/memberCalls.ts";
import { handOverDevice } from "../model/people/handOver.ts";
import { checkedOwner } from "../model/people/owners.ts";
import { deviceLimits, owner } from "../model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const list = memberQuery("devices.read")({
  args: {},
  returns: v.array(deviceRow),
  handler: async (ctx) => {
    const rows = await deviceRows(ctx, ctx.organizationId, visibleOwners(ctx));
    return may(ctx, "money.read") ? rows : rows.map((row) => ({ ...row, earnedMicro: null }));
  },
});

/** The number of devices (2,000 means 2,000 or more), and how many of them `devices` lists. */
export const count = memberQuery("devices.read")({
  args: {},
  returns: v.object({ total: v.number(), listed: v.number() }),
  handler: async (ctx) => await countDevices(ctx, ctx.organizationId, visibleOwners(ctx)),
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
    await handOverDevice(ctx, device, await checkedOwner(ctx, ctx.organizationId, to), ctx.by);
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
