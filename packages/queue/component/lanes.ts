import { v } from "convex/values";
import { mutation, query } from "./builders.ts";
import { fleet } from "./model/counts/fleet.ts";
import { setLaneState } from "./model/lanes/setState.ts";
import { isThereWorkIn, statsOf, viewLanes } from "./model/lanes/view.ts";
import { laneState, laneView } from "./validators.ts";

/** A scope's lanes, with what stood in them when last counted. */
export const list = query({
  args: { scope: v.string() },
  returns: v.array(laneView),
  handler: async (ctx, { scope }) => await viewLanes(ctx, scope),
});

/**
 * `paused`: nothing of it is claimed. `draining`: submissions are answered so, and what is there is finished.
 * Refuses: not_found.
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
 * Whether any job of the scope is ready that can be claimed: in a lane that is not paused. Reads the lanes, and one
 * ready job of each: it runs again when one of those is taken, when one comes before it (by a number drawn by chance,
 * so seldom where many are ready), and when a lane comes, goes or changes its state.
 */
export const isThereWork = query({
  args: { scope: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { scope }) => await isThereWorkIn(ctx, scope),
});

/** Counted once a minute, but for the workers of a small fleet: it runs again with them, not with each job. */
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
