import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { comingExpiries } from "../../../app/credits/house-rules.ts";
import { sumOfLots } from "../../../app/credits/lots.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { scopeOf } from "../../../app/people/rights.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { allowanceOf, allowanceRow } from "../../model/credits/allowances.ts";
import { expiryRule, rulesOf } from "../../model/credits/houseRules.ts";
import { giveCredits, moveRow, movesSince, moveToKey, namedMoves } from "../../model/credits/moves.ts";
import {
  askPayout as ask,
  openPayoutOf,
  payoutRow,
  payoutsOf,
  withdrawPayout as withdraw,
} from "../../model/credits/payouts.ts";
import { statement as statementView, statementOf } from "../../model/credits/statement.ts";
import { creditsOf, grantedTo } from "../../model/credits/wallet.ts";
import {
  belongsTo,
  changeableKey,
  memberMutation,
  memberQuery,
  ownerIn,
  ownOwner,
} from "../../model/memberCalls.ts";
import { ownerRow } from "../../model/owners.ts";
import { heldKeys } from "../../model/people/holdings.ts";
import { owned, refuse } from "../../model/refuse.ts";
import { heldOfOwner } from "../../model/trust/views.ts";
import { houseRules } from "../../model/validators/credits.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The last moves that are listed. Statements have all of a month. */
const mostListed = 100;
/** Of a member, and of each of their teams. */
const mostKeys = 100;

/**
 * The credits that the member earned or was given, what they may do with them, and their last moves. Pay of the last minute is missing.
 * `keys`: those that the credits can be moved to.
 */
export const mine = memberQuery("credits.read")({
  args: {},
  returns: v.object({
    /** All that can be moved to a key. */
    availableMicro: v.int64(),
    /** The part of it that administrators and allowances gave. Nobody else gets it, and it is not paid out. */
    grantedMicro: v.int64(),
    /** Pay of the member's devices that waits for checks of answers. Not available yet. */
    heldMicro: v.int64(),
    allowance: v.union(allowanceRow, v.null()),
    /** The credits that will expire, and when (ms epoch); the next ones first. */
    expiries: v.array(v.object({ at: v.number(), micro: v.int64() })),
    rules: houseRules,
    keys: v.array(
      v.object({
        keyId: v.id("apiKeys"),
        name: v.string(),
        prefix: v.string(),
        /** The team that the key belongs to. Null: the member. */
        teamId: v.union(v.id("teams"), v.null()),
      }),
    ),
    /** The member's teams, whose statements they may read. Their credits can be moved to `keys` of the same `teamId`. */
    teams: v.array(
      v.object({
        teamId: v.id("teams"),
        name: v.string(),
        availableMicro: v.int64(),
        grantedMicro: v.int64(),
        /** Pay of the team's devices that waits for checks of answers. Not available yet. */
        heldMicro: v.int64(),
        allowance: v.union(allowanceRow, v.null()),
      }),
    ),
    moves: v.array(moveRow),
    /** Whether a payout of theirs waits for its decision. */
    hasOpenPayout: v.boolean(),
  }),
  handler: async (ctx) => {
    const { organizationId, member } = ctx;
    const owners = [member._id, ...member.teamIds];
    const [lots, grantedMicro, heldMicro, allowance, rule, rules, keys, teams, moves, openPayout] =
      await Promise.all([
        creditsOf(ctx, member._id),
        grantedTo(ctx, member._id),
        heldOfOwner(ctx, member._id),
        allowanceOf(ctx, { table: "members", row: member }),
        expiryRule(ctx, organizationId),
        rulesOf(ctx, organizationId),
        Promise.all(owners.map(async (owner) => await heldKeys(ctx, owner, mostKeys))),
        teamsOf(ctx, member),
        movesSince(ctx, member._id, 0, mostListed),
        openPayoutOf(ctx, member._id),
      ]);
    return {
      availableMicro: sumOfLots(lots) + grantedMicro,
      grantedMicro,
      heldMicro,
      allowance,
      expiries: comingExpiries(lots, rule),
      rules,
      keys: keys
        .flat()
        .filter(({ playgroundUntil }) => playgroundUntil === undefined)
        .map(({ _id: keyId, name, prefix, owner }) => ({
          keyId,
          name: visibleText(name),
          prefix,
          teamId: member.teamIds.find((teamId) => teamId === owner) ?? null,
        })),
      teams,
      moves: await namedMoves(ctx, moves),
      hasOpenPayout: openPayout !== null,
    };
  },
});

/** The payouts that the member asked for, newest first. */
export const payouts = memberQuery("credits.read")({
  args: { paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(payoutRow),
  handler: async (ctx, { paginationOpts }) => await payoutsOf(ctx, ctx.member._id, paginationOpts),
});

/**
 * The statement of the month (UTC) of a moment. `of`: a team of the member, or any member or team for those who see all money; left out:
 * the member. `now`: the caller's time, because queries have no clock. Refuses: invalid, not_found.
 */
export const statement = memberQuery("credits.read")({
  args: { of: v.optional(v.string()), at: v.number(), now: v.number() },
  returns: statementView,
  handler: async (ctx, { of = ctx.member._id, at, now }) => {
    const scope = scopeOf("money.read", ctx.member.roles) ?? "own";
    const whose = await ownOwner({ ...ctx, scope }, ownerIn(ctx, of));
    return await statementOf(ctx, whose, at, now);
  },
});

/** The teams of a member and their credits. */
async function teamsOf(ctx: QueryCtx, { teamIds }: Doc<"members">) {
  const rows = await Promise.all(teamIds.map(async (teamId) => await ctx.db.get("teams", teamId)));
  return await Promise.all(
    rows
      .flatMap((row) => (row === null ? [] : [row]))
      .map(async (row) => {
        const { _id: teamId, name } = row;
        const [lots, grantedMicro, heldMicro, allowance] = await Promise.all([
          creditsOf(ctx, teamId),
          grantedTo(ctx, teamId),
          heldOfOwner(ctx, teamId),
          allowanceOf(ctx, { table: "teams", row }),
        ]);
        const availableMicro = sumOfLots(lots) + grantedMicro;
        return { teamId, name: visibleText(name), availableMicro, grantedMicro, heldMicro, allowance };
      }),
  );
}

const move = { moveId: v.string(), micro: v.int64() };

/**
 * Makes credits budget of a key of the member or of a team of theirs. `teamId`: the team whose credits are moved, to one of its
 * keys; left out: the member's own. `moveId`: a second call with it changes nothing. Refuses: not_found, invalid, revoked, conflict.
 */
export const toKey = memberMutation("credits.use")({
  args: { ...move, keyId: v.id("apiKeys"), teamId: v.optional(v.id("teams")) },
  returns: v.null(),
  handler: async (ctx, { keyId, teamId, ...wanted }) => {
    const key = await changeableKey(ctx, keyId);
    const team = teamId === undefined ? null : await ctx.db.get("teams", teamId);
    if (teamId !== undefined && (team === null || !belongsTo(ctx.member, teamId)))
      refuse("not_found", "There is no such team.");
    await moveToKey(ctx, ctx.member, team, key, wanted, ctx.by);
    return null;
  },
});

/** Gives earned credits to a colleague or a team. `moveId`: as in `toKey`. Refuses: not_found, invalid, conflict. */
export const give = memberMutation("credits.use")({
  args: { ...move, to: v.union(v.id("members"), v.id("teams")), note: v.string() },
  returns: v.null(),
  handler: async (ctx, { to, ...wanted }) => {
    const owner = owned(await ownerRow(ctx, to), ctx.organizationId, "member or team");
    await giveCredits(ctx, ctx.member, owner, wanted, ctx.by);
    return null;
  },
});

/** Asks for the payout of earned credits, which are held until it is decided. `moveId`: as in `toKey`. Refuses: invalid, conflict. */
export const askPayout = memberMutation("credits.use")({
  args: { ...move, note: v.union(v.string(), v.null()) },
  returns: v.null(),
  handler: async (ctx, wanted) => {
    await ask(ctx, ctx.member, wanted, ctx.by);
    return null;
  },
});

/** Takes back one's own payout that nobody has decided. Refuses: not_found, conflict. */
export const withdrawPayout = memberMutation("credits.use")({
  args: { payoutId: v.id("payouts") },
  returns: v.null(),
  handler: async (ctx, { payoutId }) => {
    const payout = owned(await ctx.db.get("payouts", payoutId), ctx.organizationId, "payout");
    if (payout.memberId !== ctx.member._id) refuse("not_found", "There is no such payout.");
    await withdraw(ctx, payout, ctx.by);
    return null;
  },
});
