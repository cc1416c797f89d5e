import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { approvePayout, payoutRow, payoutsIn, refusePayout } from "../../model/credits/payouts.ts";
import { memberMutation, memberQuery } from "../../model/memberCalls.ts";
import { owned } from "../../model/refuse.ts";
import { payoutState } from "../../model/validators/credits.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Payouts in a state, newest first. `from`, `to`: the time of the decision (ms epoch). */
export const list = memberQuery("payouts.read")({
  args: { state: payoutState, from: v.number(), to: v.number(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(payoutRow),
  handler: async (ctx, { state, paginationOpts, ...time }) =>
    await payoutsIn(ctx, ctx.organizationId, { state, ...time }, paginationOpts),
});

/** Approves a payout for payroll. Nobody approves their own. Refuses: not_found, conflict, forbidden. */
export const approve = memberMutation("payouts.decide")({
  args: { payoutId: v.id("payouts") },
  returns: v.null(),
  handler: async (ctx, { payoutId }) => {
    const payout = owned(await ctx.db.get("payouts", payoutId), ctx.organizationId, "payout");
    await approvePayout(ctx, payout, ctx.member._id, ctx.by);
    return null;
  },
});

/** Refuses a payout. The member reads the reason and has the credits again. Refuses: not_found, conflict, invalid. */
export const refuse = memberMutation("payouts.decide")({
  args: { payoutId: v.id("payouts"), reason: v.string() },
  returns: v.null(),
  handler: async (ctx, { payoutId, reason }) => {
    const payout = owned(await ctx.db.get("payouts", payoutId), ctx.organizationId, "payout");
    await refusePayout(ctx, payout, { decider: ctx.member._id, reason }, ctx.by);
    return null;
  },
});
