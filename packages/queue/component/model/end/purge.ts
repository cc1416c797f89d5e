import { sizeOf } from "../bounds.ts";
import type { Doc, MutationCtx } from "../builders.ts";
import { payloadOf } from "../jobs/payloads.ts";
import { deleteResult, progressRow, resultOf } from "../jobs/rows.ts";
import { isDeadLetter } from "../jobs/states.ts";

const perPiece = 50;
/** A piece ends with the job that exceeds this. A job has at most 2 MB, and a transaction may read 16 MiB. */
export const bytesPerPiece = 4 * 1024 * 1024;

/** Deletes the payloads and results of old final jobs. Their records stay. @returns whether more are left. */
export async function purgePiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_purge", (q) => q.gt("purgeAt", 0).lte("purgeAt", now))
    .take(perPiece);
  let bytes = 0;
  for (const job of due) {
    bytes += await deleteBodies(ctx, job);
    if (bytes > bytesPerPiece) return true;
  }
  return due.length === perPiece;
}

/**
 * Deletes a final job's payload, result and progress. Also its fingerprint and affinity, from which a short payload
 * could be guessed.
 * @returns the bytes of their JSON.
 */
export async function deleteBodies(ctx: MutationCtx, job: Doc<"jobs">): Promise<number> {
  const { _id: jobId } = job;
  const [payload, result, progress] = await Promise.all([
    payloadOf(ctx, jobId),
    resultOf(ctx, job),
    progressRow(ctx, jobId),
  ]);
  if (payload !== null) await ctx.db.delete("payloads", payload._id);
  if (result !== null) await deleteResult(ctx, result);
  if (progress !== null) await ctx.db.delete("progress", progress._id);
  await ctx.db.patch("jobs", jobId, { purgeAt: undefined, fingerprint: undefined, affinity: undefined });
  return (payload === null ? 0 : sizeOf(payload.payload)) + (result === null ? 0 : sizeOf(result.result));
}

/** Deletes a dead letter's payload now. Its record stays as long as usual. */
export async function discard(
  ctx: MutationCtx,
  job: Doc<"jobs">,
): Promise<{ kind: "discarded" } | { kind: "not-dead" }> {
  if (!isDeadLetter(job.status)) return { kind: "not-dead" };
  await deleteBodies(ctx, job);
  return { kind: "discarded" };
}
