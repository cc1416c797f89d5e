import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import { jobStatus } from "../shared/validators.ts";
import { internalAction, internalMutation, internalQuery } from "./builders.ts";
import { countAll } from "./model/counts/countAll.ts";
import { fleet, largeFleetOf } from "./model/counts/fleet.ts";
import { noteCounts } from "./model/counts/noteCounts.ts";
import {
  countedExactly,
  countRange as countOne,
  look as lookView,
  lookAt,
  rangeCount,
} from "./model/counts/ranges.ts";
import { scopeCounts } from "./model/counts/tally.ts";
import { maintenance } from "./model/references.ts";
import schema from "./schema.ts";

const lanesPerPage = 64;

/** Runs every minute, by crons.ts: counts the jobs of all lanes, finds what is full, and replaces lost sweeps. */
export const count = internalAction({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await ctx.runMutation(maintenance.healSweeps, {});
    await countAll(ctx);
    return null;
  },
});

/** All lanes, ordered by scope. `cursor` null: the first page, or no further page. */
export const lanesToCount = internalQuery({
  args: { cursor: v.union(v.string(), v.null()) },
  returns: v.object({
    lanes: v.array(v.object({ laneId: v.id("lanes"), scope: v.string(), name: v.string() })),
    cursor: v.union(v.string(), v.null()),
  }),
  handler: async (ctx, { cursor }) => {
    const { page, isDone, continueCursor } = await stream(ctx.db, schema)
      .query("lanes")
      .withIndex("by_name")
      .paginate({ cursor, numItems: lanesPerPage });
    const lanes = page.map(({ _id, scope, name }) => ({ laneId: _id, scope, name }));
    return { lanes, cursor: isDone ? null : continueCursor };
  },
});

export const look = internalQuery({
  args: { laneIds: v.array(v.id("lanes")) },
  returns: lookView,
  handler: async (ctx, { laneIds }) => await lookAt(ctx, laneIds),
});

export const countRange = internalQuery({
  args: { laneId: v.id("lanes"), status: jobStatus, level: v.number() },
  returns: rangeCount,
  handler: async (ctx, range) => await countOne(ctx, range, countedExactly),
});

export const largeFleet = internalQuery({
  args: { scope: v.string() },
  returns: v.union(fleet, v.null()),
  handler: async (ctx, { scope }) => await largeFleetOf(ctx, scope),
});

export const note = internalMutation({
  args: scopeCounts.fields,
  returns: v.null(),
  handler: async (ctx, found) => {
    await noteCounts(ctx, found, Date.now());
    return null;
  },
});
