import { laneState } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { changesText } from "../../app/audit/changes.ts";
import { actorName } from "../model/audit.ts";
import { memberMutation, memberQuery } from "../model/memberCalls.ts";
import { depthRanges, depthsOf } from "../model/organizations/depthSamples.ts";
import { queueDepth, queueDepthOf } from "../model/organizations/queueDepth.ts";
import { queue } from "../model/queue.ts";
import {
  changeSettings,
  reachOfSettings,
  settingReaches,
  settingValues,
  settingViews,
  viewSettings,
} from "../model/queueSettings.ts";
import { refuse } from "../model/refuse.ts";
import { depthKind, depthSample } from "../model/validators/statistics.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The queue in numbers, now. `waits` of a lane are from its last count, `countedAt`, which is about a minute old at most. */
export const stats = memberQuery("queue.read")({
  args: {},
  returns: queueDepth,
  handler: async (ctx) => await queueDepthOf(ctx, ctx.organizationId),
});

/**
 * The jobs that had not ended, over time: of all jobs, of a model, a lane or a key, or ("") of all others of
 * these. Sampled once a minute, and kept for eight days.
 * A week is shown by the highest numbers of each hour. `until`: the end of the time (ms epoch). Refuses: invalid.
 */
export const depths = memberQuery("queue.read")({
  args: { by: depthKind, subject: v.string(), range: literals(...depthRanges), until: v.number() },
  returns: v.array(depthSample),
  handler: async (ctx, wanted) => {
    if (!Number.isFinite(wanted.until)) refuse("invalid", "until has to be a time in milliseconds.");
    return await depthsOf(ctx, ctx.organizationId, wanted);
  },
});

const laneActions = { open: "lane.opened", paused: "lane.paused", draining: "lane.draining" } as const;

/** Opens a lane, pauses it (no job starts) or drains it (new jobs are refused, queued ones finish). */
export const setLaneState = memberMutation("queue.change")({
  args: { laneId: v.string(), state: laneState },
  returns: v.null(),
  handler: async (ctx, { laneId, state }) => {
    const lanes = await queue.lanes.list(ctx, ctx.organizationId);
    const lane = lanes.find((each) => each.laneId === laneId);
    await queue.lanes.setState(ctx, ctx.organizationId, { laneId, state, actor: actorName(ctx.by.actor) });
    // The lane may be deleted once it is empty. Its name stays.
    await ctx.audit(laneActions[state], lane?.name ?? laneId, changesText([["state", lane?.state, state]]));
    return null;
  },
});

/** The organization's settings of the queue, beside the operator's. */
export const settings = memberQuery("queue.read")({
  args: {},
  returns: settingViews,
  handler: async (ctx) => await viewSettings(ctx, ctx.organizationId),
});

/** The jobs that settings would touch if they were saved now. It runs again with each job, so only a preview subscribes to it. */
export const settingsReach = memberQuery("queue.change")({
  args: settingValues.fields,
  returns: settingReaches,
  handler: async (ctx, values) => await reachOfSettings(ctx, ctx.organizationId, values),
});

/**
 * Sets the organization's settings of the queue; null: the operator's value. Refuses: invalid.
 * @returns the values before. The same call with them undoes the change.
 */
export const setSettings = memberMutation("queue.change")({
  args: settingValues.fields,
  returns: settingValues,
  handler: async (ctx, values) => await changeSettings(ctx, ctx.organizationId, values, ctx.by),
});
