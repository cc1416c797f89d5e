import { type Infer, v } from "convex/values";
import type { QueryCtx } from "../../_generated/server.js";
import { allowanceOf, allowanceRow } from "../../model/credits/allowances.ts";
import { changeCredits } from "../../model/credits/grants.ts";
import { type Holder, holderOf, takeableOf } from "../../model/credits/holders.ts";
import {
  changeableHolder,
  memberMutation,
  memberQuery,
  ownOwner,
  visibleOwners,
} from "../../model/memberCalls.ts";
import { currentTeams } from "../../model/people/teams.ts";
import { present } from "../../model/refuse.ts";
import { creditHolder } from "../../model/validators/credits.ts";
import { owner } from "../../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

const grant = v.object({ grantedMicro: v.int64(), allowance: v.union(allowanceRow, v.null()) });

async function grantOf(ctx: QueryCtx, holder: Holder): Promise<Infer<typeof grant>> {
  const [grantedMicro, allowance] = await Promise.all([takeableOf(ctx, holder), allowanceOf(ctx, holder)]);
  return { grantedMicro, allowance };
}

/**
 * The credits that administrators and allowances gave to a member or a team and that nobody has used, and their allowance. Refuses:
 * not_found.
 */
export const of = memberQuery("money.read")({
  args: { owner },
  returns: grant,
  handler: async (ctx, { owner: id }) => {
    const holder = await holderOf(ctx, await ownOwner(ctx, id));
    return await grantOf(ctx, present(holder, "owner that was found"));
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
        .map(async (row) => ({ teamId: row._id, ...(await grantOf(ctx, { table: "teams", row })) })),
    );
  },
});

/**
 * Gives credits to an API key, a member or a team, or takes back what is not used if `micro` is negative. `reason` is in the holder's
 * statement and in the audit trail. Refuses: not_found, invalid, revoked, conflict (less is unused).
 */
export const change = memberMutation("money.change")({
  args: { holder: creditHolder, micro: v.int64(), reason: v.string() },
  returns: v.null(),
  handler: async (ctx, { holder, ...wanted }) => {
    await changeCredits(ctx, await changeableHolder(ctx, holder), wanted, ctx.member._id, ctx.by);
    return null;
  },
});
