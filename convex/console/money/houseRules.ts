import { v } from "convex/values";
import { rulesOf, setRules } from "../../model/credits/houseRules.ts";
import { memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { houseRules } from "../../model/validators/credits.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The rules for earned credits: payouts, bonus hours, and whether they expire. */
export const get = memberQuery("credits.read")({
  args: {},
  returns: houseRules,
  handler: async (ctx) => await rulesOf(ctx, ctx.organizationId),
});

/** Replaces all of it. Credits expire under a new rule after 30 days at the earliest. Refuses: invalid. */
export const set = memberMutation("money.change")({
  args: houseRules.fields,
  returns: v.null(),
  handler: async (ctx, rules) => {
    await setRules(ctx, ctx.organizationId, rules, ctx.by);
    return null;
  },
});
