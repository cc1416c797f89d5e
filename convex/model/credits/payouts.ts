import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { moneyOf, payoutCents } from "../../../app/credits/payout.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { houseAccount, payoutAccount, walletAccount } from "../ledger/transfer.ts";
import { boundedPage, boundedText, refuse } from "../refuse.ts";
import { payoutState } from "../validators/credits.ts";
import { rulesOf } from "./houseRules.ts";
import { type Move, newMoveKey } from "./moves.ts";
import { addingEntries, book, noteMove, take } from "./wallet.ts";

const maxReasonChars = 200;

/**
 * Asks for the payout of earned credits. They are held until somebody decides. One payout of a member is open at a time. Refuses: invalid,
 * conflict.
 */
export async function askPayout(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  { moveId, micro, note }: Move & { readonly note: string | null },
  by: Act,
): Promise<void> {
  const key = await newMoveKey(ctx, memberId, moveId);
  if (key === null) return;
  const { payout: terms } = await rulesOf(ctx, organizationId);
  if (terms === null) refuse("conflict", "Your organization does not pay credits out.");
  if ((await openPayoutOf(ctx, memberId)) !== null)
    refuse("conflict", "You have asked for a payout already. Wait for its decision, or withdraw it.");
  const words = note === null ? {} : { note: boundedText(note.trim(), "The note", maxReasonChars) };
  if (payoutCents(micro, terms.perCreditMicro) <= 0n)
    refuse("invalid", `This is less than 0.01 ${terms.currency}.`);
  const taking = { key, organizationId, owner: memberId, kind: "payout" as const, micro, at: by.at };
  const lots = await take(ctx, taking, () => [{ account: payoutAccount(organizationId), micro }]);
  const payout = { organizationId, memberId, micro, lots, ...terms, ...words, askedAt: by.at };
  const payoutId = await ctx.db.insert("payouts", { ...payout, state: "asked" });
  await noteMove(ctx, organizationId, {
    owner: memberId,
    kind: "payout-asked",
    micro: -micro,
    at: by.at,
    ...words,
  });
  const detail = amountWords({ micro, ...terms });
  await record(ctx, { organizationId, ...by, action: "payout.asked", subject: payoutId, detail });
}

/** Approves a payout: its credits are the house's, and payroll pays the money. Nobody approves their own. Refuses: conflict, forbidden. */
export async function approvePayout(
  ctx: MutationCtx,
  payout: Doc<"payouts">,
  decider: Id<"members">,
  by: Act,
): Promise<void> {
  checkOpen(payout);
  const { _id: payoutId, organizationId, memberId, micro } = payout;
  if (decider === memberId)
    refuse("forbidden", "Nobody approves their own payout. Ask another owner or administrator.");
  await end(ctx, payout, [{ account: houseAccount(organizationId), micro }], by);
  await ctx.db.patch("payouts", payoutId, { state: "approved", decidedAt: by.at, decidedBy: decider });
  const detail = amountWords(payout);
  await record(ctx, { organizationId, ...by, action: "payout.approved", subject: payoutId, detail });
}

/** Refuses a payout with a reason. The member has the credits again. Refuses: conflict, invalid. */
export async function refusePayout(
  ctx: MutationCtx,
  payout: Doc<"payouts">,
  { decider, reason }: { readonly decider: Id<"members">; readonly reason: string },
  by: Act,
): Promise<void> {
  const why = boundedText(reason.trim(), "The reason", maxReasonChars);
  await giveBack(ctx, payout, why, by);
  const { _id: payoutId, organizationId } = payout;
  const decided = { state: "refused", decidedAt: by.at, decidedBy: decider, reason: why } as const;
  await ctx.db.patch("payouts", payoutId, decided);
  const detail = `${amountWords(payout)}: ${why}`;
  await record(ctx, { organizationId, ...by, action: "payout.refused", subject: payoutId, detail });
}

/** Withdraws a payout that nobody has decided. Refuses: conflict. */
export async function withdrawPayout(ctx: MutationCtx, payout: Doc<"payouts">, by: Act): Promise<void> {
  await giveBack(ctx, payout, null, by);
  const { _id: payoutId, organizationId } = payout;
  await ctx.db.patch("payouts", payoutId, { state: "withdrawn", decidedAt: by.at });
  const detail = amountWords(payout);
  await record(ctx, { organizationId, ...by, action: "payout.withdrawn", subject: payoutId, detail });
}

async function giveBack(
  ctx: MutationCtx,
  payout: Doc<"payouts">,
  note: string | null,
  by: Act,
): Promise<void> {
  checkOpen(payout);
  const { organizationId, memberId, micro, lots } = payout;
  await end(ctx, payout, addingEntries(walletAccount(memberId), lots), by);
  await noteMove(ctx, organizationId, {
    owner: memberId,
    kind: "payout-returned",
    micro,
    at: by.at,
    ...(note === null ? {} : { note }),
  });
}

function checkOpen({ state }: Doc<"payouts">): void {
  if (state !== "asked") refuse("conflict", "This payout was decided already.");
}

async function end(
  ctx: MutationCtx,
  { _id, organizationId, micro }: Doc<"payouts">,
  to: ReturnType<typeof addingEntries>,
  by: Act,
): Promise<void> {
  const booked = await book(ctx, {
    key: `payout:${_id}`,
    organizationId,
    kind: "payout",
    at: by.at,
    entries: [{ account: payoutAccount(organizationId), micro: -micro }, ...to],
  });
  if (booked === "repeated") throw new Error(`payout ${_id} has ended already`);
}

type Amount = Pick<Doc<"payouts">, "micro" | "currency" | "perCreditMicro">;

function amountWords({ micro, currency, perCreditMicro }: Amount): string {
  return `${formatExactCredits(micro)} credits for ${moneyOf(payoutCents(micro, perCreditMicro), currency)}`;
}

export async function openPayoutOf(ctx: QueryCtx, memberId: Id<"members">): Promise<Doc<"payouts"> | null> {
  return await ctx.db
    .query("payouts")
    .withIndex("by_member", (q) => q.eq("memberId", memberId).eq("state", "asked"))
    .unique();
}

const person = v.object({ id: v.string(), name: v.string(), email: v.union(v.string(), v.null()) });

export const payoutRow = v.object({
  payoutId: v.id("payouts"),
  member: person,
  micro: v.int64(),
  currency: v.string(),
  perCreditMicro: v.int64(),
  /** The money, in hundredths of the currency. */
  cents: v.int64(),
  note: v.union(v.string(), v.null()),
  askedAt: v.number(),
  state: payoutState,
  decidedAt: v.union(v.number(), v.null()),
  decidedBy: v.union(v.string(), v.null()),
  reason: v.union(v.string(), v.null()),
});

/** Bounds what one query reads. Each payout is shown with two members. */
const mostPayouts = 300;

type Wanted = { readonly state: Doc<"payouts">["state"]; readonly from: number; readonly to: number };

/** A page of the payouts in a state, newest first. `from`, `to`: the time of the decision; ms epoch. Those that nobody has decided have none. */
export async function payoutsIn(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { state, from, to }: Wanted,
  paginationOpts: PaginationOptions,
): Promise<PaginationResult<Infer<typeof payoutRow>>> {
  const found = await ctx.db
    .query("payouts")
    .withIndex("by_state", (q) => {
      const inState = q.eq("organizationId", organizationId).eq("state", state);
      return state === "asked" ? inState : inState.gte("decidedAt", from).lt("decidedAt", to);
    })
    .order("desc")
    .paginate(boundedPage(paginationOpts, mostPayouts));
  return { ...found, page: await Promise.all(found.page.map(async (row) => await viewOf(ctx, row))) };
}

/** A page of the payouts of a member, newest first. */
export async function payoutsOf(
  ctx: QueryCtx,
  memberId: Id<"members">,
  paginationOpts: PaginationOptions,
): Promise<PaginationResult<Infer<typeof payoutRow>>> {
  const found = await ctx.db
    .query("payouts")
    .withIndex("by_member_time", (q) => q.eq("memberId", memberId))
    .order("desc")
    .paginate(boundedPage(paginationOpts, mostPayouts));
  return { ...found, page: await Promise.all(found.page.map(async (row) => await viewOf(ctx, row))) };
}

async function viewOf(ctx: QueryCtx, row: Doc<"payouts">): Promise<Infer<typeof payoutRow>> {
  const { memberId, micro, currency, perCreditMicro, note, askedAt, state, reason } = row;
  const [member, decider] = await Promise.all([
    ctx.db.get("members", memberId),
    row.decidedBy === undefined ? null : ctx.db.get("members", row.decidedBy),
  ]);
  const text = (value: string | undefined) => (value === undefined ? null : visibleText(value));
  return {
    payoutId: row._id,
    member: { id: memberId, name: visibleText(member?.name ?? ""), email: member?.email ?? null },
    micro,
    currency,
    perCreditMicro,
    cents: payoutCents(micro, perCreditMicro),
    note: text(note),
    askedAt,
    state,
    decidedAt: row.decidedAt ?? null,
    decidedBy: text(decider?.name),
    reason: text(reason),
  };
}
