import { v } from "convex/values";
import { capabilities, laneState, laneView, requesterTally } from "../shared/validators.ts";
import { mutation, query } from "./model/builders.ts";
import { fleet } from "./model/counts/fleet.ts";
import { countLive, liveCounts } from "./model/counts/live.ts";
import { requesterCountsOf } from "./model/counts/requesters.ts";
import { setLaneState } from "./model/lanes/setState.ts";
import { isThereWorkIn, statsOf, viewLanes } from "./model/lanes/view.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const names = v.optional(v.array(v.string()));
const ability = v.object({ capabilities, groups: names, labels: names, dataClasses: names });

/** A scope's lanes, with the figures of the last count. */
export const list = query({
  args: { scope: v.string() },
  returns: v.array(laneView),
  handler: async (ctx, { scope }) => await viewLanes(ctx, scope),
});

/**
 * `paused`: nothing is claimed. `draining`: submissions are refused, and existing jobs are finished. Refuses:
 * not_found.
 */
export const setState = mutation({
  args: { scope: v.string(), laneId: v.string(), state: laneState, actor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, change) => {
    await setLaneState(ctx, change, Date.now());
    return null;
  },
});

/**
 * Whether the scope has a ready job in a lane that is not paused. Reads the lanes, and one ready job of each. So it
 * runs again when that job is taken, when one with a lower sample key becomes ready (rarely if many are ready), and
 * when a lane changes. With `worker` only the lanes count whose jobs such a worker could run.
 */
export const isThereWork = query({
  args: { scope: v.string(), worker: v.optional(ability) },
  returns: v.boolean(),
  handler: async (ctx, { scope, worker }) => await isThereWorkIn(ctx, scope, worker),
});

/** Counted once a minute, except the workers of a small fleet. It runs again when workers change, not with each job. */
export const stats = query({
  args: { scope: v.string() },
  returns: v.object({
    ready: v.number(),
    waiting: v.number(),
    running: v.number(),
    workers: fleet,
    lanes: v.array(laneView),
  }),
  handler: async (ctx, { scope }) => await statsOf(ctx, scope),
});

/** The requesters with most jobs that are not final, at most 50, as of the last count. */
export const requesters = query({
  args: { scope: v.string() },
  returns: v.array(requesterTally),
  handler: async (ctx, { scope }) => await requesterCountsOf(ctx, scope),
});

/**
 * The jobs that are not final, now: up to 100 of each status exactly. It runs again with each of them, so subscribe to it only
 * while somebody looks.
 */
export const live = query({
  args: { scope: v.string() },
  returns: liveCounts,
  handler: async (ctx, { scope }) => await countLive(ctx, scope),
});
