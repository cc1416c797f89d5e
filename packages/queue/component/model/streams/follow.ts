import type { Doc, Id, MutationCtx } from "../../builders.ts";
import { isFinal } from "../jobs/states.ts";
import { maintenance } from "../references.ts";
import { settingsOf } from "../settings.ts";
import { deletePiece } from "./chunks.ts";

export type FollowOutcome = { readonly kind: "following" } | { readonly kind: "final" };

/**
 * Somebody watches: the job's text is kept in chunks until `watchMs` after the last call. A worker that is at it
 * already sees so in `held`, and appends from the start. Writes once in a third of `watchMs`, however often called.
 */
export async function follow(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<FollowOutcome> {
  if (isFinal(job.status)) return { kind: "final" };
  const { watchMs } = await settingsOf(ctx, job.scope);
  const until = job.watchedUntil ?? -Infinity;
  if (job.watched && until - now > (watchMs * 2) / 3) return { kind: "following" };
  // What is left of an earlier watching would stand before the text that now comes from the start: it goes first.
  const isLeft = !job.watched && (await deletePiece(ctx, job._id));
  await ctx.db.patch("jobs", job._id, { watched: !isLeft, watchedUntil: now + watchMs });
  if (isLeft) await ctx.scheduler.runAfter(0, maintenance.deleteChunks, { jobId: job._id });
  // While a term runs, its timer finds the later end by itself.
  if (job.watchedUntil === undefined) {
    await scheduleWatchEnd(ctx, [job._id], now + watchMs);
  }
  return { kind: "following" };
}

/** Has the term of watched jobs looked at when it ends. */
export async function scheduleWatchEnd(ctx: MutationCtx, jobIds: Id<"jobs">[], at: number): Promise<void> {
  if (jobIds.length > 0) await ctx.scheduler.runAt(at, maintenance.endWatching, { jobIds });
}

const perPiece = 20;

/** The ends of terms, a piece of them: a submission may start 500 at once. */
export async function endWatching(
  ctx: MutationCtx,
  jobIds: readonly Id<"jobs">[],
  now: number,
): Promise<void> {
  for (const jobId of jobIds.slice(0, perPiece)) await endOrProlong(ctx, jobId, now);
  await scheduleWatchEnd(ctx, jobIds.slice(perPiece), now);
}

/** Goes on to the next end when somebody renewed the term, else ends the watching. */
async function endOrProlong(ctx: MutationCtx, jobId: Id<"jobs">, now: number): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  if (job?.watchedUntil === undefined || isFinal(job.status)) return;
  if (now < job.watchedUntil) {
    await scheduleWatchEnd(ctx, [jobId], job.watchedUntil);
    return;
  }
  await ctx.db.patch("jobs", jobId, { watched: false, watchedUntil: undefined });
  await deleteChunks(ctx, jobId);
}

/**
 * Deletes the streamed text of a job that nobody watches, or that is final, in pieces. One that somebody has begun to
 * follow meanwhile is watched after the last.
 */
export async function deleteChunks(ctx: MutationCtx, jobId: Id<"jobs">): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  // It was revived, or is watched again: these are live.
  if (job !== null && job.watched && !isFinal(job.status)) return;
  if (await deletePiece(ctx, jobId)) {
    await ctx.scheduler.runAfter(0, maintenance.deleteChunks, { jobId });
    return;
  }
  if (job?.watchedUntil === undefined || isFinal(job.status)) return;
  await ctx.db.patch("jobs", jobId, { watched: true });
}
