import { v } from "convex/values";
import { codeDevices, devicesOfCode } from "../model/devices/arrivals.ts";
import {
  codeRow,
  codeRows,
  confirmDevice as confirm,
  confirmedDevice,
  createCode,
  newCode,
  revokeCode,
} from "../model/devices/enrollmentCodes.ts";
import { joinAddress as address, joinAddressOf } from "../model/devices/joinAddress.ts";
import { memberMutation, memberQuery, ownCode } from "../model/memberCalls.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const list = memberQuery("enrollment.read")({
  args: {},
  returns: v.array(codeRow),
  handler: async (ctx) => await codeRows(ctx, ctx.organizationId),
});

/** Registers a code that the browser made. It admits `uses` devices (1) within `expiresInHours` hours (24). */
export const create = memberMutation("enrollment.change")({
  args: newCode,
  returns: v.object({ codeId: v.id("enrolmentCodes") }),
  handler: async (ctx, code) => {
    const { organizationId, by } = ctx;
    return { codeId: await createCode(ctx, { ...code, organizationId }, by) };
  },
});

/**
 * Lets a computer of the member join, which waits in its own window. `codeHash`: of the code that it made. Refuses: invalid,
 * conflict, rate_limited.
 */
export const confirmDevice = memberMutation("devices.enroll")({
  args: confirmedDevice,
  returns: v.null(),
  handler: async (ctx, given) => {
    await confirm(ctx, ctx.member, given, ctx.by);
    return null;
  },
});

/** Revokes a code. Devices that it admitted stay. */
export const revoke = memberMutation("enrollment.change")({
  args: { codeId: v.id("enrolmentCodes") },
  returns: v.null(),
  handler: async (ctx, { codeId }) => {
    await revokeCode(ctx, await ownCode(ctx, codeId), ctx.by);
    return null;
  },
});

/** The devices that a code admitted. Refuses: not_found. */
export const devices = memberQuery("enrollment.read")({
  args: { codeId: v.id("enrolmentCodes") },
  returns: codeDevices,
  handler: async (ctx, { codeId }) => {
    await ownCode(ctx, codeId);
    return await devicesOfCode(ctx, codeId);
  },
});

/** The address by which devices join, and the pin that they need, if the deployment knows them. */
export const joinAddress = memberQuery("account")({
  args: {},
  returns: address,
  handler: async () => await Promise.resolve(joinAddressOf()),
});
