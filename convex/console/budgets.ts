import { v } from "convex/values";
import { memberMutation, memberQuery, visibleOwners } from "../model/memberCalls.ts";
import { refuse } from "../model/refuse.ts";
import { budgetRow, budgetsOf, setBudget } from "../model/usage/budgets.ts";
import { budgetSubject } from "../model/validators/statistics.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * The budgets with the credits of this month (UTC), those nearest to their end first; of the organization, or of the member, the
 * member's teams and their keys. At most two minutes old. Refuses: invalid.
 */
export const list = memberQuery("usage.read")({
  args: { now: v.number() },
  returns: v.array(budgetRow),
  handler: async (ctx, { now }) => {
    if (!Number.isFinite(now) || now < 0 || now > 8e15)
      refuse("invalid", "`now` has to be a time in milliseconds.");
    return await budgetsOf(ctx, ctx.organizationId, visibleOwners(ctx), now);
  },
});

/**
 * Sets the budget of a key, a member or a team for each month; null removes it. `stops`: new jobs are refused once it is used up;
 * otherwise it only warns. Refuses: not_found, invalid.
 */
export const set = memberMutation("money.change")({
  args: {
    subject: budgetSubject,
    monthlyMicro: v.union(v.int64(), v.null()),
    stops: v.optional(v.boolean()),
  },
  returns: v.null(),
  handler: async (ctx, { subject, ...terms }) => {
    await setBudget(ctx, ctx.organizationId, subject, terms, ctx.by);
    return null;
  },
});
