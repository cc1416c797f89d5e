import type { Id, MutationCtx, QueryCtx } from "../../builders.ts";

/** One answer carries about this much text; a watcher far behind asks again from where it stands. */
const maxChars = 256 * 1024;
const maxChunks = 1_000;

/** Text of an attempt after a position, -1 for the start. */
export async function chunksAfter(
  ctx: QueryCtx,
  attemptId: Id<"attempts">,
  seq: number,
): Promise<{ seq: number; text: string }[]> {
  const chunks: { seq: number; text: string }[] = [];
  let chars = 0;
  const rows = ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId).gt("seq", seq));
  for await (const row of rows) {
    chunks.push({ seq: row.seq, text: row.text });
    chars += row.text.length;
    if (chars >= maxChars || chunks.length >= maxChunks) break;
  }
  return chunks;
}

const perPiece = 500;
const charsPerPiece = 2 * 1024 * 1024;

/** Deletes streamed text of a job, all attempts', a piece of it. @returns whether more may be left. */
export async function deletePiece(ctx: MutationCtx, jobId: Id<"jobs">): Promise<boolean> {
  const ids: Id<"chunks">[] = [];
  let chars = 0;
  const rows = ctx.db.query("chunks").withIndex("by_job", (q) => q.eq("jobId", jobId));
  for await (const row of rows) {
    ids.push(row._id);
    chars += row.text.length;
    if (ids.length >= perPiece || chars >= charsPerPiece) break;
  }
  for (const id of ids) await ctx.db.delete("chunks", id);
  return ids.length >= perPiece || chars >= charsPerPiece;
}
