import { type Lot, lotsOfPieces, type Piece, sumOfLots, takeOldest } from "../../../app/credits/lots.ts";
import { spellCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { accountRow, lotsOf } from "../ledger/balance.ts";
import { projectTransfer } from "../ledger/project.ts";
import {
  deviceAccount,
  type Entry,
  grantAccount,
  houseAccount,
  keyAccount,
  transfer,
  walletAccount,
} from "../ledger/transfer.ts";
import type { Owner } from "../owners.ts";
import { refuse } from "../refuse.ts";

/** Devices of one owner whose credits are read. Each has a row. Credits of further ones stay where they are. */
const mostDevices = 200;

type Source = { readonly account: string; readonly lots: readonly Lot[] };

/**
 * The accounts whose credits belong to a member or a team: their wallet, and those of their devices. Pending pay is not in it: what leaves
 * these accounts is projected at once, so the projection is never more than there is.
 */
export async function sourcesOf(ctx: QueryCtx, owner: Owner): Promise<readonly Source[]> {
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_owner", (q) => q.eq("owner", owner))
    .take(mostDevices);
  const accounts = [walletAccount(owner), ...devices.map(({ _id }) => deviceAccount(_id))];
  return await Promise.all(
    accounts.map(async (account) => ({ account, lots: lotsOf(await accountRow(ctx, account)) })),
  );
}

/** The earned credits of an owner by the months in which they were earned. */
export async function creditsOf(ctx: QueryCtx, owner: Owner): Promise<readonly Lot[]> {
  const sources = await sourcesOf(ctx, owner);
  return sources.flatMap(({ lots }) => lots);
}

/** The credits that administrators and allowances gave an owner, and that nobody has used. They are projected at once, as earned ones are. */
export async function grantedTo(ctx: QueryCtx, owner: Owner): Promise<bigint> {
  return (await accountRow(ctx, grantAccount(owner)))?.balanceMicro ?? 0n;
}

/** All that an owner can use with a key. */
export async function usableBy(ctx: QueryCtx, owner: Owner): Promise<bigint> {
  const [lots, granted] = await Promise.all([creditsOf(ctx, owner), grantedTo(ctx, owner)]);
  return sumOfLots(lots) + granted;
}

/** The entries that take pieces from their accounts. */
export function takingEntries(pieces: readonly Piece[]): Entry[] {
  return pieces.map(({ account, startAt, micro }) => ({ account, micro: -micro, earnedAt: startAt }));
}

/** The entries that add credits to an account, each with its month. */
export function addingEntries(account: string, lots: readonly Lot[]): Entry[] {
  return lots.map(({ startAt, micro }) => ({ account, micro, earnedAt: startAt }));
}

/** Books a transfer of earned credits. It is projected at once, so nobody can move the same credits again. */
export async function book(
  ctx: MutationCtx,
  booking: Parameters<typeof transfer>[1],
): Promise<"booked" | "repeated"> {
  const booked = await transfer(ctx, booking);
  if (booked === "booked") await projectTransfer(ctx, booking.key);
  return booked;
}

type Taking = Omit<Parameters<typeof transfer>[1], "entries"> & {
  readonly owner: Owner;
  readonly micro: bigint;
};

/**
 * Moves earned credits of an owner, the oldest first, to the accounts of the entries that `to` makes of them. Refuses: invalid, conflict (the
 * owner has less).
 * @returns the credits, by the months in which they were earned.
 */
export async function take(
  ctx: MutationCtx,
  { owner, micro, ...booking }: Taking,
  to: (lots: readonly Lot[]) => readonly Entry[],
): Promise<Lot[]> {
  const pieces = await choose(ctx, owner, micro);
  const lots = lotsOfPieces(pieces);
  await book(ctx, { ...booking, entries: [...takingEntries(pieces), ...to(lots)] });
  return lots;
}

/**
 * Moves credits of an owner to a key: first those that the owner was given, since only keys get these, and then earned ones, the oldest
 * first. Refuses: invalid, conflict (the owner has less).
 * @returns how many of them were given.
 */
export async function takeForKey(
  ctx: MutationCtx,
  { owner, micro, ...booking }: Taking,
  apiKeyId: Id<"apiKeys">,
): Promise<bigint> {
  checkAmount(micro);
  const granted = await grantedTo(ctx, owner);
  const given = granted < micro ? granted : micro;
  const pieces = given === micro ? [] : await choose(ctx, owner, micro - given, granted);
  await book(ctx, {
    ...booking,
    entries: [
      ...(given === 0n ? [] : [{ account: grantAccount(owner), micro: -given }]),
      ...takingEntries(pieces),
      { account: keyAccount(apiKeyId), micro },
    ],
  });
  return given;
}

function checkAmount(micro: bigint): void {
  if (micro <= 0n) refuse("invalid", "The amount must be more than 0 credits.");
}

/**
 * Chooses earned credits of an owner, the oldest first. Refuses: invalid, conflict (the owner has less).
 * @param granted the given credits that the same move takes, for the error text.
 */
async function choose(ctx: QueryCtx, owner: Owner, micro: bigint, granted = 0n): Promise<readonly Piece[]> {
  checkAmount(micro);
  const sources = await sourcesOf(ctx, owner);
  const pieces = takeOldest(sources, micro);
  if (pieces !== null) return pieces;
  const has = sumOfLots(sources.flatMap(({ lots }) => lots));
  return refuse("conflict", `Only ${spellCredits(has + granted)} are available.`);
}

/**
 * Leaves what a device earned to the owner that it had: in their wallet, or with the house if it had none. Call it before it is handed over. The
 * projector does the same with pay that is pending now.
 */
export async function keepEarnings(
  ctx: MutationCtx,
  { _id: deviceId, organizationId, owner }: Doc<"devices">,
  at: number,
): Promise<void> {
  const account = deviceAccount(deviceId);
  const lots = lotsOf(await accountRow(ctx, account)).filter(({ micro }) => micro > 0n);
  if (lots.length === 0) return;
  const to = owner === undefined ? houseAccount(organizationId) : walletAccount(owner);
  await book(ctx, {
    key: `keep:${deviceId}:${crypto.randomUUID()}`,
    organizationId,
    kind: "move",
    at,
    entries: [...takingEntries(lots.map((lot) => ({ account, ...lot }))), ...addingEntries(to, lots)],
  });
}

/** Notes a change of a member's credits for their list and their statements. */
export async function noteMove(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  move: Omit<Doc<"creditMoves">, "_id" | "_creationTime" | "organizationId">,
): Promise<void> {
  await ctx.db.insert("creditMoves", { organizationId, ...move });
}
