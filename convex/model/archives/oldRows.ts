import type { MutationCtx } from "../../_generated/server.js";

const dayMs = 24 * 3_600_000;

/** The console's timeline of a device goes back eight days, and the panel asks for today. */
const earningsKeptMs = 40 * dayMs;
/** Pay is kept for ten years in most countries. */
const earnedMonthsKeptMs = 3_660 * dayMs;
/** Links end within weeks. Until then an admin sees that one was not used. */
const linksKeptMs = 400 * dayMs;

const perPiece = 100;

/**
 * Deletes rows that nobody reads any more. Nothing of them is lost: the ledger's archives have each payment, and the audit trail each
 * link.
 * @returns whether there may be more.
 */
export async function deleteOldRows(ctx: MutationCtx, now: number): Promise<boolean> {
  const counts = [
    await deleteBefore(ctx, "earnings", now - earningsKeptMs, perPiece),
    await deleteBefore(ctx, "earnedMonths", now - earnedMonthsKeptMs, perPiece),
    await deleteBefore(ctx, "invitations", now - linksKeptMs, perPiece),
    await deleteBefore(ctx, "signInLinks", now - linksKeptMs, perPiece),
  ];
  return counts.includes(perPiece);
}

/** Deletes rows that were made before a moment, at most so many. @returns how many there were. */
export async function deleteBefore(
  ctx: MutationCtx,
  table:
    | "calls"
    | "canaries"
    | "earnings"
    | "earnedMonths"
    | "invitations"
    | "ratings"
    | "replays"
    | "signInLinks"
    | "trustCases",
  before: number,
  most: number,
): Promise<number> {
  const old = await ctx.db
    .query(table)
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .take(most);
  for (const { _id } of old) await ctx.db.delete(table, _id as never);
  return old.length;
}
