import type { Doc, Id, MutationCtx, QueryCtx } from "../../builders.ts";
import { boundedInteger, byteLength, wellFormed } from "../bounds.ts";
import { refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";

/** Chunks of one attempt: at four a second, more than two hours of writing. */
const maxSeq = 32_768;

export type Chunk = { readonly seq: number; readonly text: string };

/**
 * Adds text to a held attempt's stream, while its job is watched; else nothing is written. A `seq` that is not after
 * the last one changes nothing: the worker asks again when it had no answer.
 * Refuses: invalid, too_large (by the settings).
 */
export async function appendChunk(
  ctx: MutationCtx,
  held: { readonly attempt: Doc<"attempts">; readonly job: Doc<"jobs"> },
  { seq, text }: Chunk,
): Promise<void> {
  boundedInteger(seq, "seq", 0, maxSeq);
  wellFormed(text, "The chunk");
  if (!held.job.watched) return;
  const bytes = byteLength(text);
  const attemptId = held.attempt._id;
  const [{ maxChunkBytes, maxTextBytes }, last] = await Promise.all([
    settingsOf(ctx, held.job.scope),
    ctx.db
      .query("chunks")
      .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId))
      .order("desc")
      .first(),
  ]);
  if (bytes > maxChunkBytes) refuse("too_large", `A chunk has at most ${String(maxChunkBytes)} bytes.`);
  // A watcher that has the last chunk would never see one before it.
  if (last !== null && seq <= last.seq) return;
  const endBytes = (last?.endBytes ?? 0) + bytes;
  if (endBytes > maxTextBytes) {
    refuse("too_large", `An attempt's text has at most ${String(maxTextBytes)} bytes.`);
  }
  await ctx.db.insert("chunks", { jobId: held.job._id, attemptId, seq, text, endBytes });
}

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
