import { v } from "convex/values";
import { endAllowance, setAllowance } from "../../model/credits/allowances.ts";
import { changeableHolder, memberMutation } from "../../model/memberCalls.ts";
import { allowanceTerms, creditHolder } from "../../model/validators/credits.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Sets the credits that an API key, a member or a team gets at the start of each period (UTC), from the next one on. `reason` is in the
 * holder's statement and in the audit trail. `dueAt`: that of a former allowance that comes back, so that no period is lost. Refuses:
 * not_found, invalid, revoked.
 */
export const set = memberMutation("money.change")({
  args: { holder: creditHolder, ...allowanceTerms.fields, reason: v.string(), dueAt: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { holder, ...terms }) => {
    await setAllowance(ctx, await changeableHolder(ctx, holder), terms, ctx.member._id, ctx.by);
    return null;
  },
});

/** Ends the allowance of a holder, who keeps their credits. Does nothing without one. Refuses: not_found. */
export const end = memberMutation("money.change")({
  args: { holder: creditHolder },
  returns: v.null(),
  handler: async (ctx, { holder }) => {
    await endAllowance(ctx, await changeableHolder(ctx, holder), ctx.by);
    return null;
  },
});
