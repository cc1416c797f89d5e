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
    await deleteOf(ctx, "earnings", now - earningsKeptMs),
    await deleteOf(ctx, "earnedMonths", now - earnedMonthsKeptMs),
    await deleteOf(ctx, "invitations", now - linksKeptMs),
    await deleteOf(ctx, "signInLinks", now - linksKeptMs),
  ];
  return counts.includes(perPiece);
}

async function deleteOf(
  ctx: MutationCtx,
  table: "earnings" | "earnedMonths" | "invitations" | "signInLinks",
  before: number,
): Promise<number> {
  const old = await ctx.db
    .query(table)
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .take(perPiece);
  for (const { _id } of old) await ctx.db.delete(table, _id as never);
  return old.length;
}
