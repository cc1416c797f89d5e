import type { Doc, MutationCtx } from "../../builders.ts";
import { boundedInteger, byteLength, wellFormed } from "../bounds.ts";
import { refuse } from "../refuse.ts";

/** Chunks of one attempt: at four a second, more than two hours of writing. */
const maxSeq = 32_768;
const maxChunkBytes = 64 * 1024;
const maxAttemptBytes = 2 * 1024 * 1024;

export type Chunk = { readonly seq: number; readonly text: string };

/**
 * Adds text to a held attempt's stream, while its job is watched; else nothing is written. A `seq` that is not after
 * the last one changes nothing: the worker asks again when it had no answer.
 * Refuses: invalid, too_large (64 KiB a chunk, 2 MiB an attempt).
 */
export async function appendChunk(
  ctx: MutationCtx,
  held: { readonly attempt: Doc<"attempts">; readonly job: Doc<"jobs"> },
  { seq, text }: Chunk,
): Promise<void> {
  boundedInteger(seq, "seq", 0, maxSeq);
  wellFormed(text, "The chunk");
  const bytes = byteLength(text);
  if (bytes > maxChunkBytes) refuse("too_large", `A chunk has at most ${String(maxChunkBytes)} bytes.`);
  if (!held.job.watched) return;
  const attemptId = held.attempt._id;
  const last = await ctx.db
    .query("chunks")
    .withIndex("by_attempt", (q) => q.eq("attemptId", attemptId))
    .order("desc")
    .first();
  // A watcher that has the last chunk would never see one before it.
  if (last !== null && seq <= last.seq) return;
  const endBytes = (last?.endBytes ?? 0) + bytes;
  if (endBytes > maxAttemptBytes) {
    refuse("too_large", `An attempt's text has at most ${String(maxAttemptBytes)} bytes.`);
  }
  await ctx.db.insert("chunks", { jobId: held.job._id, attemptId, seq, text, endBytes });
}
