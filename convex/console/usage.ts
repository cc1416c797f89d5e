import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { usageDays } from "../../app/usage/usage-table.ts";
import { belongsTo, memberMutation, memberQuery, visibleOwners } from "../model/memberCalls.ts";
import { refuse } from "../model/refuse.ts";
import { factsForModels, factsOf, setFacts as changeFacts } from "../model/usage/facts.ts";
import { forecastFor } from "../model/usage/months.ts";
import { ownEarningsOf } from "../model/usage/ownEarnings.ts";
import { ownUsageOf, usageOf, usageReport } from "../model/usage/report.ts";
import { owner as ownerId } from "../model/validators/people.ts";
import { modelTokens, usageFacts } from "../model/validators/statistics.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** `until`: the end of the time (ms epoch), which queries cannot know. */
const time = { days: literals(...usageDays), until: v.number() };

/**
 * Tokens, jobs, device hours, credits, success and waits by day, model, key, team or member. Those who see only their own usage
 * see that of their keys, or with `owner` that of a team of theirs. Refuses: invalid, not_found.
 */
export const report = memberQuery("usage.read")({
  args: {
    by: literals("day", "model", "key", "team", "member"),
    ...time,
    owner: v.optional(ownerId),
  },
  returns: usageReport,
  handler: async (ctx, { owner, ...wanted }) => {
    checkTime(wanted.until);
    if (ctx.scope === "all" && owner === undefined) return await usageOf(ctx, ctx.organizationId, wanted);
    const { by } = wanted;
    if (by === "team" || by === "member") refuse("invalid", "Own usage is shown by day, model or key.");
    const of = owner ?? ctx.member._id;
    if (!belongsTo(ctx.member, of)) refuse("not_found", "There is no such member or team.");
    return await ownUsageOf(ctx, ctx.organizationId, of, { ...wanted, by });
  },
});

/**
 * The devices' earnings by day, device or group, and the figures that the organization compares them with. Donors see their own
 * devices, and the tokens of these by model. Refuses: invalid.
 */
export const earnings = memberQuery("earnings.read")({
  args: { by: literals("day", "device", "group"), ...time },
  returns: v.object({
    ...usageReport.fields,
    /** Null for the whole organization, whose models are in `report`. */
    models: v.union(v.array(modelTokens), v.null()),
    facts: usageFacts,
  }),
  handler: async (ctx, wanted) => {
    checkTime(wanted.until);
    const owners = visibleOwners(ctx);
    if (owners !== null) {
      const own = await ownEarningsOf(ctx, ctx.organizationId, owners, wanted);
      return { ...own, facts: await factsForModels(ctx, ctx.organizationId, own.models) };
    }
    const { by } = wanted;
    const earned = await usageOf(ctx, ctx.organizationId, { ...wanted, by: by === "day" ? "device" : by });
    const facts = await factsOf(ctx, ctx.organizationId);
    return { ...earned, rows: by === "day" ? earned.days : earned.rows, models: null, facts };
  },
});

/**
 * The credits that this month (UTC) has cost, and will have cost at its end: of the organization, or of the member or a team of
 * theirs. Refuses: invalid, not_found.
 */
export const month = memberQuery("usage.read")({
  args: { now: v.number(), owner: v.optional(ownerId) },
  returns: v.object({ spentMicro: v.int64(), forecastMicro: v.int64(), days: v.number() }),
  handler: async (ctx, { now, owner }) => {
    checkTime(now);
    if (ctx.scope === "all" && owner === undefined) return await forecastFor(ctx, ctx.organizationId, now);
    const of = owner ?? ctx.member._id;
    if (!belongsTo(ctx.member, of)) refuse("not_found", "There is no such member or team.");
    return await forecastFor(ctx, of, now);
  },
});

/** The figures that the organization compares its usage with: prices of a cloud, the power of a device, the carbon of the grid. */
export const facts = memberQuery("usage.read")({
  args: {},
  returns: usageFacts,
  handler: async (ctx) => await factsOf(ctx, ctx.organizationId),
});

/** Replaces all of it. Refuses: invalid. */
export const setFacts = memberMutation("money.change")({
  args: usageFacts.fields,
  returns: v.null(),
  handler: async (ctx, wanted) => {
    await changeFacts(ctx, ctx.organizationId, wanted, ctx.by);
    return null;
  },
});

function checkTime(at: number): void {
  // Dates end at 8.64e15 ms.
  if (!Number.isFinite(at) || at < 0 || at > 8e15) refuse("invalid", "The time has to be in milliseconds.");
}
