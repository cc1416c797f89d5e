import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import { internalAction, internalMutation, internalQuery } from "./model/builders.ts";
import { countAll } from "./model/counts/countAll.ts";
import { largeFleetOf } from "./model/counts/fleet.ts";
import { noteCounts } from "./model/counts/noteCounts.ts";
import { pacesOf } from "./model/counts/paces.ts";
import { countedExactly, countRange as countOne, scanLanes } from "./model/counts/ranges.ts";
import { countQueries } from "./model/counts/references.ts";
import { scopeCounts } from "./model/counts/tally.ts";
import { maintenance } from "./model/references.ts";
import { schema } from "./model/schema.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const lanesPerPage = 64;

/** Runs every minute, by crons.ts: counts the jobs of all lanes, finds what is full, ends what ran out of time, and replaces lost sweeps. */
export const count = internalAction({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await ctx.runMutation(maintenance.healSweeps, {});
    await ctx.runMutation(maintenance.expireOverdue, {});
    await countAll(ctx);
    return null;
  },
});

export const lanesToCount = internalQuery({
  args: countQueries.lanesToCount.args,
  returns: countQueries.lanesToCount.returns,
  handler: async (ctx, { cursor }) => {
    const { page, isDone, continueCursor } = await stream(ctx.db, schema)
      .query("lanes")
      .withIndex("by_name")
      .paginate({ cursor, numItems: lanesPerPage });
    const lanes = page.map(({ _id, scope, name }) => ({ laneId: _id, scope, name }));
    return { lanes, cursor: isDone ? null : continueCursor };
  },
});

export const scan = internalQuery({
  args: countQueries.scan.args,
  returns: countQueries.scan.returns,
  handler: async (ctx, { laneIds }) => await scanLanes(ctx, laneIds),
});

export const countRange = internalQuery({
  args: countQueries.countRange.args,
  returns: countQueries.countRange.returns,
  handler: async (ctx, range) => await countOne(ctx, range, countedExactly),
});

export const paces = internalQuery({
  args: countQueries.paces.args,
  returns: countQueries.paces.returns,
  handler: async (ctx, { laneIds }) => await pacesOf(ctx, laneIds, Date.now()),
});

export const largeFleet = internalQuery({
  args: countQueries.largeFleet.args,
  returns: countQueries.largeFleet.returns,
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
