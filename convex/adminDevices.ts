import { v } from "convex/values";
import {
  arrivalRow,
  codeDevices,
  devicesOfCode,
  pendingDevices,
  remainingOfCode,
  retireBatchOfCode,
} from "./model/devices/arrivals.ts";
import { revokeCode } from "./model/devices/enrollmentCodes.ts";
import { joinAddress as address, joinAddressOf } from "./model/devices/joinAddress.ts";
import { limitDevice } from "./model/devices/limits.ts";
import { approve as approveDevice, refuseDevice, resume as resumeDevice } from "./model/devices/service.ts";
import { oldestVersionOf, requireVersion } from "./model/devices/versions.ts";
import { memberMutation, memberQuery, ownCode, ownDevice } from "./model/memberCalls.ts";
import { deviceLimits } from "./model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

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

/** The devices that a code admitted. Refuses: not_found. */
export const ofCode = memberQuery("enrollment.read")({
  args: { codeId: v.id("enrolmentCodes") },
  returns: codeDevices,
  handler: async (ctx, { codeId }) => {
    await ownCode(ctx, codeId);
    return await devicesOfCode(ctx, codeId);
  },
});

/**
 * Retires all devices of a code, and revokes the code. The first 50 devices are retired at once, the others follow soon.
 * `devices`: how many there are, at most 1,000 (then: 1,000 or more). Refuses: not_found.
 */
export const retireAllOfCode = memberMutation("enrollment.change")({
  args: { codeId: v.id("enrolmentCodes") },
  returns: v.object({ devices: v.number() }),
  handler: async (ctx, { codeId }) => {
    const code = await ownCode(ctx, codeId);
    const devices = await remainingOfCode(ctx, codeId);
    await revokeCode(ctx, code, ctx.by);
    await retireBatchOfCode(ctx, codeId, ctx.by);
    await ctx.audit("enrolment-code.devices-retired", codeId);
    return { devices };
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

/** The address by which devices join, and the pin that they need, if the deployment knows them. */
export const joinAddress = memberQuery("account")({
  args: {},
  returns: address,
  handler: async () => await Promise.resolve(joinAddressOf()),
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
