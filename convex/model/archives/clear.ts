import { type ArchivedRow, readRow, rowLine } from "../../../app/archives/file.ts";
import type { Doc, Id, TableNames } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

/** The tables whose rows move into archives. */
const movedTables = [
  "batches",
  "orders",
  "receipts",
  "receiptSeals",
  "ledgerEntries",
  "creditMoves",
  "payouts",
  "audit",
  "auditSeals",
] as const satisfies readonly TableNames[];

type MovedTable = (typeof movedTables)[number];

/**
 * Deletes the rows of some lines of an archive, whose file was read back: whole groups, so that the ledger sums to zero and each seal has its
 * rows at any time. Rows that a former run has deleted are skipped.
 * @returns false if a row is not as the archive has it. Then nothing is deleted.
 */
export async function clearRows(
  ctx: MutationCtx,
  archiveId: Id<"archives">,
  lines: readonly string[],
): Promise<boolean> {
  const archive = await ctx.db.get("archives", archiveId);
  if (archive === null || archive.doneAt !== undefined) return true;
  const rows = await Promise.all(lines.map(async (line) => await storedRow(ctx, line)));
  if (rows.includes("changed")) return false;
  const sums = new Map<string, bigint>();
  let seal = archive.seal;
  let cleared = 0;
  for (const row of rows) {
    if (row === null || row === "changed") continue;
    const { table, doc } = row;
    cleared += 1;
    if (table === "ledgerEntries") {
      const { account, micro } = doc as Doc<"ledgerEntries">;
      sums.set(account, (sums.get(account) ?? 0n) + micro);
    }
    if (table === "auditSeals" || table === "receiptSeals") {
      const { number, to, hash } = doc as Doc<"auditSeals"> | Doc<"receiptSeals">;
      seal = { number, to, hash };
    }
    if (table === "batches") await forgetCollection(ctx, doc._id as Id<"batches">);
    await ctx.db.delete(table, doc._id as never);
  }
  for (const [account, micro] of sums) await carryForward(ctx, archive, account, micro);
  if (cleared > 0)
    await ctx.db.patch("archives", archiveId, {
      cleared: archive.cleared + cleared,
      ...(seal === undefined ? {} : { seal }),
    });
  return true;
}

/** The row of a line; null if it is deleted. */
async function storedRow(
  ctx: MutationCtx,
  line: string,
): Promise<{ readonly table: MovedTable; readonly doc: Doc<MovedTable> } | "changed" | null> {
  const { table, id } = placeOf(readRow(line));
  const rowId = ctx.db.normalizeId(table, id);
  const doc = rowId === null ? null : await ctx.db.get(table, rowId as never);
  if (doc === null) return null;
  return rowLine(table, doc) === line ? { table, doc } : "changed";
}

function placeOf(found: ArchivedRow | null): { readonly table: MovedTable; readonly id: string } {
  const table = movedTables.find((name) => name === found?.table);
  const id = found?.row["_id"];
  if (table === undefined || typeof id !== "string") throw new Error("a line of an archive is no row");
  return { table, id };
}

/** Adds archived entries to the opening balance of their account, in the transaction that deletes them. */
async function carryForward(
  ctx: MutationCtx,
  { organizationId }: Doc<"archives">,
  account: string,
  micro: bigint,
): Promise<void> {
  const row = await ctx.db
    .query("ledgerOpenings")
    .withIndex("by_account", (q) => q.eq("account", account))
    .unique();
  if (row === null) await ctx.db.insert("ledgerOpenings", { organizationId, account, micro });
  else await ctx.db.patch("ledgerOpenings", row._id, { micro: row.micro + micro });
}

async function forgetCollection(ctx: MutationCtx, batchId: Id<"batches">): Promise<void> {
  const row = await ctx.db
    .query("batchCollections")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId))
    .unique();
  if (row !== null) await ctx.db.delete("batchCollections", row._id);
}
