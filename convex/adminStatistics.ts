import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { rangeNames } from "../app/statistics/spans.ts";
import { adminQuery } from "./model/adminCalls.ts";
import { refuse } from "./model/refuse.ts";
import { reportOf, statisticsReport } from "./model/statistics/report.ts";

/**
 * Jobs by outcome, waits, runs and steals of an organization, over time and by model, lane, key or device. At most two
 * minutes old. `until`: the end of the time (ms epoch), which queries cannot know. Refuses: invalid.
 */
export const report = adminQuery({
  args: {
    by: literals("model", "lane", "key", "device"),
    range: literals(...rangeNames),
    until: v.number(),
  },
  returns: statisticsReport,
  handler: async (ctx, wanted) => {
    if (!Number.isFinite(wanted.until)) refuse("invalid", "until has to be a time in milliseconds.");
    return await reportOf(ctx, ctx.organizationId, wanted);
  },
});
