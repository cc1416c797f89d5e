import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { sizeOf } from "../bounds.ts";
import { payloadOf, progressRow, resultOf } from "../jobs/rows.ts";
import { isDeadLetter } from "../jobs/states.ts";

const perPiece = 50;
/** A transaction may read 16 MiB; one job more than this is let in, of 2 MB at most. */
export const bytesPerPiece = 4 * 1024 * 1024;

/** Deletes what final jobs were about, once its time has come; their records stay. @returns whether more is left. */
export async function purgePiece(ctx: MutationCtx, now: number): Promise<boolean> {
  const due = await ctx.db
    .query("jobs")
    .withIndex("by_purge", (q) => q.gt("purgeAt", 0).lte("purgeAt", now))
    .take(perPiece);
  let bytes = 0;
  for (const { _id } of due) {
    bytes += await deleteBodies(ctx, _id);
    if (bytes > bytesPerPiece) return true;
  }
  return due.length === perPiece;
}

/**
 * Deletes a final job's payload, result and progress, and what a short payload could be guessed from: its fingerprint and
 * its affinity.
 * @returns bytes of their JSON.
 */
export async function deleteBodies(ctx: MutationCtx, jobId: Id<"jobs">): Promise<number> {
  const [payload, result, progress] = await Promise.all([
    payloadOf(ctx, jobId),
    resultOf(ctx, jobId),
    progressRow(ctx, jobId),
  ]);
  if (payload !== null) await ctx.db.delete("payloads", payload._id);
  if (result !== null) await ctx.db.delete("results", result._id);
  if (progress !== null) await ctx.db.delete("progress", progress._id);
  await ctx.db.patch("jobs", jobId, { purgeAt: undefined, fingerprint: undefined, affinity: undefined });
  return (payload === null ? 0 : sizeOf(payload.payload)) + (result === null ? 0 : sizeOf(result.result));
}

/** Deletes a dead letter's payload now; its record stays for as long as it would. */
export async function discard(
  ctx: MutationCtx,
  job: Doc<"jobs">,
): Promise<{ kind: "discarded" } | { kind: "not-dead" }> {
  if (!isDeadLetter(job.status)) return { kind: "not-dead" };
  await deleteBodies(ctx, job._id);
  return { kind: "discarded" };
}
