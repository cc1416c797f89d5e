import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { rangeNames } from "../../app/statistics/spans.ts";
import { memberMutation, memberQuery } from "../model/memberCalls.ts";
import { refuse } from "../model/refuse.ts";
import { reportOf, statisticsReport } from "../model/statistics/report.ts";
import {
  metricsTokenOf,
  removeMetricsToken as remove,
  setMetricsToken as set,
} from "../model/statistics/token.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Jobs by outcome, waits, runs and steals of an organization, over time and by model, lane, key or device. At most two
 * minutes old. `until`: the end of the time (ms epoch), which queries cannot know. Refuses: invalid.
 */
export const report = memberQuery("statistics.read")({
  args: {
    by: literals("model", "lane", "key", "device"),
    range: literals(...rangeNames),
    until: v.number(),
    /** The points of one model, lane, key or device; of all jobs if left out. */
    subject: v.optional(v.string()),
  },
  returns: statisticsReport,
  handler: async (ctx, wanted) => {
    if (!Number.isFinite(wanted.until)) refuse("invalid", "until has to be a time in milliseconds.");
    return await reportOf(ctx, ctx.organizationId, wanted);
  },
});

/** When the token for `/metrics` was made (ms epoch). Null: nobody can read the metrics. */
export const metricsToken = memberQuery("metrics.read")({
  args: {},
  returns: v.union(v.object({ createdAt: v.number() }), v.null()),
  handler: async (ctx) => {
    const token = await metricsTokenOf(ctx, ctx.organizationId);
    return token === null ? null : { createdAt: token.createdAt };
  },
});

/** Registers a token that the browser made, by its hash. It replaces the earlier one. Refuses: invalid, conflict. */
export const setMetricsToken = memberMutation("metrics.change")({
  args: { tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { tokenHash }) => {
    await set(ctx, ctx.organizationId, tokenHash, ctx.by);
    return null;
  },
});

/** Ends the token. A repeated call changes nothing. */
export const removeMetricsToken = memberMutation("metrics.change")({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await remove(ctx, ctx.organizationId, ctx.by);
    return null;
  },
});
