import type { Doc, Id, MutationCtx } from "../builders.ts";
import { isFinal } from "../jobs/states.ts";
import { maintenance } from "../references.ts";
import { settingsOf } from "../settings.ts";
import { deletePiece } from "./chunks.ts";

export type FollowOutcome = { readonly kind: "following" } | { readonly kind: "final" };

/**
 * Keeps a job's streamed text until `watchMs` after the last call. A worker that runs the job sees this in `held`, and
 * appends its text from the start. Writes at most once in a third of `watchMs`.
 */
export async function follow(ctx: MutationCtx, job: Doc<"jobs">, now: number): Promise<FollowOutcome> {
  if (isFinal(job.status)) return { kind: "final" };
  const { watchMs } = await settingsOf(ctx, job.scope);
  const until = job.watchedUntil ?? -Infinity;
  if (job.watched && until - now > (watchMs * 2) / 3) return { kind: "following" };
  await watchUntil(ctx, job, now + watchMs);
  return { kind: "following" };
}

/** Keeps a job's streamed text at least until a time. @returns the job after the change. */
export async function watchUntil(ctx: MutationCtx, job: Doc<"jobs">, until: number): Promise<Doc<"jobs">> {
  // Text left from earlier readers would come before the new text, so it is deleted first.
  const isLeft = !job.watched && (await deletePiece(ctx, job._id));
  const watchedUntil = Math.max(until, job.watchedUntil ?? 0);
  const watch = { watched: !isLeft, watchedUntil };
  await ctx.db.patch("jobs", job._id, watch);
  if (isLeft) await ctx.scheduler.runAfter(0, maintenance.deleteChunks, { jobId: job._id });
  // A pending timer rereads `watchedUntil` and reschedules itself.
  if (job.watchedUntil === undefined) {
    await scheduleWatchEnd(ctx, [job._id], watchedUntil);
  }
  return { ...job, ...watch };
}

/** Schedules the check whether watched jobs still have a reader. */
export async function scheduleWatchEnd(ctx: MutationCtx, jobIds: Id<"jobs">[], at: number): Promise<void> {
  if (jobIds.length > 0) await ctx.scheduler.runAt(at, maintenance.endWatching, { jobIds });
}

const perPiece = 20;

/** Checks jobs whose watch time ends, in pieces: a submission may start 500 at once. */
export async function endWatching(
  ctx: MutationCtx,
  jobIds: readonly Id<"jobs">[],
  now: number,
): Promise<void> {
  for (const jobId of jobIds.slice(0, perPiece)) await endOrProlong(ctx, jobId, now);
  await scheduleWatchEnd(ctx, jobIds.slice(perPiece), now);
}

/** Stops watching, or schedules the next check if somebody called `follow`. */
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
 * Deletes the streamed text of a job that is final or has no reader, in pieces. If somebody follows the job meanwhile,
 * it is watched after the last piece.
 */
export async function deleteChunks(ctx: MutationCtx, jobId: Id<"jobs">): Promise<void> {
  const job = await ctx.db.get("jobs", jobId);
  // The job was retried, or has a reader again, so its chunks are in use.
  if (job !== null && job.watched && !isFinal(job.status)) return;
  if (await deletePiece(ctx, jobId)) {
    await ctx.scheduler.runAfter(0, maintenance.deleteChunks, { jobId });
    return;
  }
  if (job?.watchedUntil === undefined || isFinal(job.status)) return;
  await ctx.db.patch("jobs", jobId, { watched: true });
}
