import { v } from "convex/values";
import { allowanceOf, allowanceRow } from "../../model/credits/allowances.ts";
import { changeCredits } from "../../model/credits/grants.ts";
import { holderOf } from "../../model/credits/holders.ts";
import { grantedTo } from "../../model/credits/wallet.ts";
import {
  changeableHolder,
  memberMutation,
  memberQuery,
  ownOwner,
  visibleOwners,
} from "../../model/memberCalls.ts";
import { currentTeams } from "../../model/people/teams.ts";
import { owner } from "../../model/validators.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const grant = v.object({ grantedMicro: v.int64(), allowance: v.union(allowanceRow, v.null()) });

/**
 * The credits that administrators and allowances gave to a member or a team and that nobody has used, and their allowance. Refuses:
 * not_found.
 */
export const of = memberQuery("money.read")({
  args: { owner },
  returns: grant,
  handler: async (ctx, { owner: id }) => {
    const checked = await ownOwner(ctx, id);
    const [grantedMicro, holder] = await Promise.all([grantedTo(ctx, checked), holderOf(ctx, checked)]);
    return { grantedMicro, allowance: holder === null ? null : await allowanceOf(ctx, holder) };
  },
});

/** The same of each team of the organization, or of each of the member's own. Former teams are left out. */
export const ofTeams = memberQuery("money.read")({
  args: {},
  returns: v.array(v.object({ teamId: v.id("teams"), ...grant.fields })),
  handler: async (ctx) => {
    const owners = visibleOwners(ctx);
    const teams = await currentTeams(ctx, ctx.organizationId);
    return await Promise.all(
      teams
        .filter(({ _id }) => owners === null || owners.includes(_id))
        .map(async (row) => {
          const [grantedMicro, allowance] = await Promise.all([
            grantedTo(ctx, row._id),
            allowanceOf(ctx, { table: "teams", row }),
          ]);
          return { teamId: row._id, grantedMicro, allowance };
        }),
    );
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
