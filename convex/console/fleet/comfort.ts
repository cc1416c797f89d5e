import { v } from "convex/values";
import { comfortTarget, objectiveOf } from "../../../app/comfort/fleet.ts";
import { weekOf } from "../../model/comfort/count.ts";
import { hoursOf } from "../../model/comfort/hours.ts";
import { memberQuery, ownDevice } from "../../model/memberCalls.ts";
import { comfortHour, comfortParts } from "../../model/validators/devices.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The worst devices that are shown. */
const mostShown = 10;

/**
 * Whether the fleet kept its promises in the week before `until` (ms epoch): the share of donated hours without a broken one, and the
 * devices that broke most. Counted once a minute from buckets of days.
 */
export const week = memberQuery("overview.read")({
  args: { until: v.number() },
  returns: v.object({
    target: v.number(),
    hours: v.number(),
    keptHours: v.number(),
    /** Null: nothing was donated. */
    isKept: v.union(v.boolean(), v.null()),
    /** Hours by the promises that they broke. */
    broken: comfortParts,
    worst: v.array(
      v.object({
        deviceId: v.id("devices"),
        name: v.string(),
        brokenHours: v.number(),
        broken: comfortParts,
      }),
    ),
  }),
  handler: async (ctx, { until }) => {
    const { worst, ...counts } = await weekOf(ctx, ctx.organizationId, until);
    const named = await Promise.all(
      worst.slice(0, mostShown).map(async ({ deviceId: given, ...device }) => {
        const deviceId = ctx.db.normalizeId("devices", given);
        const row = deviceId === null ? null : await ctx.db.get("devices", deviceId);
        return row === null ? [] : [{ ...device, deviceId: row._id, name: row.name }];
      }),
    );
    const isKept = objectiveOf(counts)?.isKept ?? null;
    return { target: comfortTarget, ...counts, isKept, worst: named.flat() };
  },
});

/** The measured hours of a device in the last eight days, newest first. Refuses: not_found. */
export const ofDevice = memberQuery("devices.read")({
  args: { deviceId: v.id("devices") },
  returns: v.array(comfortHour),
  handler: async (ctx, { deviceId }) => await hoursOf(ctx, (await ownDevice(ctx, deviceId))._id),
});
