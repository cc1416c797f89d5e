import { isFinal, type JobEvent, transition } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { present } from "../load.ts";

/** Watchers of a final job have this long to read its last chunks. */
export const chunksKeptMs = 10 * 60_000;

/** Prompts and answers are kept this long after a job is final. */
export const payloadKeptMs = 24 * 3_600_000;

export type JobChange = Partial<
  Pick<Doc<"jobs">, "currentAttemptId" | "attempts" | "priceMicro" | "usage" | "error" | "failures" | "unfit">
>;
export type AttemptChange = Partial<
  Pick<Doc<"attempts">, "usage" | "timing" | "earnedMicro" | "error" | "releaseReason">
>;

/**
 * The one place that changes a job's status, and its current attempt's with it. An illegal move is a bug
 * of the caller, who has checked the fence before: it throws, and nothing of the transaction is kept.
 */
export async function move(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  event: JobEvent,
  now: number,
  change: { readonly job?: JobChange; readonly attempt?: AttemptChange } = {},
): Promise<Doc<"jobs">> {
  const next = transition(job.status, event);
  if (next.kind === "illegal")
    throw new Error(`job ${job._id}: ${event.kind} is illegal while ${job.status}`);

  const bookkeeping: Partial<Doc<"jobs">> = {};
  if (event.kind === "claim") {
    bookkeeping.startedAt = job.startedAt ?? now;
  } else if (next.attempt !== null && job.currentAttemptId !== undefined) {
    const attempt = present(await ctx.db.get("attempts", job.currentAttemptId), "current attempt");
    await ctx.db.patch("attempts", attempt._id, { ...change.attempt, status: next.attempt, endedAt: now });
    if (next.attempt === "failed" || next.attempt === "lost") {
      bookkeeping.failures = job.failures + 1;
      bookkeeping.lastFailedDeviceId = attempt.deviceId;
    }
  }
  if (isFinal(next.job)) {
    bookkeeping.finishedAt = now;
    bookkeeping.purgeAt = now + payloadKeptMs;
    await ctx.db.insert("tallyPending", { organizationId: job.organizationId, status: next.job });
    if (job.watched) {
      await ctx.scheduler.runAfter(chunksKeptMs, internal.maintenance.deleteChunks, { jobId: job._id });
    }
  }
  await ctx.db.patch("jobs", job._id, {
    ...bookkeeping,
    ...(next.job === "ready" ? { currentAttemptId: undefined } : {}),
    ...change.job,
    status: next.job,
  });
  return present(await ctx.db.get("jobs", job._id), "moved job");
}
