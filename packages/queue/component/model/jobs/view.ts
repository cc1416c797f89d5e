import type { AttemptView, JobView } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { defined } from "../load.ts";
import { priorityName } from "../priority.ts";
import { progressOf } from "./rows.ts";

/** One job with its progress. Lists leave the progress out. */
export async function viewOne(ctx: QueryCtx, job: Doc<"jobs">): Promise<JobView> {
  return { ...viewJob(job), ...(await progressOf(ctx, job)) };
}

/** A job as its scope sees it. */
export function viewJob(job: Doc<"jobs">): JobView {
  const { report, reply, context } = job;
  return {
    jobId: job._id,
    kind: job.kind,
    requirements: job.requirements ?? {},
    status: job.status,
    waitsFor: job.waitsFor ?? null,
    priority: priorityName(job.level),
    requester: job.requester ?? null,
    key: job.key ?? null,
    externalId: job.externalId ?? null,
    batchId: job.batchId ?? null,
    submittedAt: job.submittedAt,
    startedAt: job.startedAt ?? null,
    finishedAt: job.finishedAt ?? null,
    dueAt: job.dueAt ?? null,
    attempts: job.attempts,
    failures: job.failures,
    round: job.round,
    watched: job.watched,
    error: job.error ?? null,
    ...defined({ report, reply, context }),
  };
}

/** An attempt as its scope sees it. `worker` is null after the worker's row was deleted. */
export function viewAttempt(attempt: Doc<"attempts">, worker: Doc<"workers"> | null): AttemptView {
  const { report, reply } = attempt;
  return {
    attemptId: attempt._id,
    jobId: attempt.jobId,
    kind: attempt.kind,
    model: attempt.model ?? null,
    workerId: attempt.workerId,
    worker: worker?.externalId ?? null,
    workerName: worker?.name ?? "",
    number: attempt.number,
    status: attempt.status,
    claimedAt: attempt.claimedAt,
    endedAt: attempt.endedAt ?? null,
    error: attempt.error ?? null,
    releaseReason: attempt.releaseReason ?? null,
    ...defined({ report, reply }),
  };
}

const maxAttempts = 100;

/** The newest attempts of a job, oldest first: at most 100, or `most`. Each reads two documents, itself and its worker. */
export async function attemptsOf(
  ctx: QueryCtx,
  jobId: Id<"jobs">,
  most = maxAttempts,
): Promise<AttemptView[]> {
  const newest = await ctx.db
    .query("attempts")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .order("desc")
    .take(Math.max(1, Math.min(maxAttempts, Math.floor(most) || 1)));
  const ids = [...new Set(newest.map(({ workerId }) => workerId))];
  const workers = new Map(
    await Promise.all(ids.map(async (id) => [id, await ctx.db.get("workers", id)] as const)),
  );
  return newest.reverse().map((attempt) => viewAttempt(attempt, workers.get(attempt.workerId) ?? null));
}
