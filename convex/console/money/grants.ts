import { v } from "convex/values";
import { allowanceOf, allowanceRow } from "../../model/credits/allowances.ts";
import { changeCredits } from "../../model/credits/grants.ts";
import { holderOf } from "../../model/credits/holders.ts";
import { grantedTo } from "../../model/credits/wallet.ts";
import { changeableHolder, memberMutation, memberQuery, ownOwner } from "../../model/memberCalls.ts";
import { owner } from "../../model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * The credits that administrators and allowances gave to a member or a team and that nobody has used, and their allowance. Refuses:
 * not_found.
 */
export const of = memberQuery("money.read")({
  args: { owner },
  returns: v.object({ grantedMicro: v.int64(), allowance: v.union(allowanceRow, v.null()) }),
  handler: async (ctx, { owner: id }) => {
    const checked = await ownOwner(ctx, id);
    const [grantedMicro, holder] = await Promise.all([grantedTo(ctx, checked), holderOf(ctx, checked)]);
    return { grantedMicro, allowance: holder === null ? null : await allowanceOf(ctx, holder) };
  },
});

/**
 * Gives credits to a member or a team, or takes back what is not used if `micro` is negative. `reason` is in their statement and in the audit
 * trail. Refuses: not_found, invalid, conflict (less is unused).
 */
export const change = memberMutation("money.change")({
  args: { owner, micro: v.int64(), reason: v.string() },
  returns: v.null(),
  handler: async (ctx, { owner: id, ...wanted }) => {
    await changeCredits(ctx, await changeableHolder(ctx, id), wanted, ctx.member._id, ctx.by);
    return null;
  },
});
