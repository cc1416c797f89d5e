import type { Infer } from "convex/values";
import type { canceledBy, jobError } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { move } from "../jobs/move.ts";
import { isFinal, type JobStatus } from "../jobs/states.ts";
import { defined, idOf } from "../load.ts";
import { maintenance } from "../references.ts";
import { nextRound, type Round, runStep } from "../tryAgain.ts";

export type CancelOutcome =
  { readonly kind: "canceled" } | { readonly kind: "already-final"; readonly status: JobStatus };

type JobError = Infer<typeof jobError>;

/**
 * Cancels a job that is not final. A worker that holds it sees its attempt leave `held`.
 * @param error why, for those who wait for the job.
 */
export async function cancel(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  now: number,
  error?: JobError,
): Promise<CancelOutcome> {
  if (isFinal(job.status)) return { kind: "already-final", status: job.status };
  await move(ctx, job, { kind: "cancel" }, now, { job: defined({ error }) });
  return { kind: "canceled" };
}

export type MassCancel = {
  readonly scope: string;
  readonly by: Infer<typeof canceledBy>;
  readonly name: string;
  /** Whether running jobs are canceled, too. */
  readonly running: boolean;
  /** Why, for those who wait for the jobs. */
  readonly error?: JobError;
  /** Jobs that were submitted or became ready after this time (ms epoch) are not canceled. */
  readonly before: number;
};

/** Small, because each cancellation may call the app, and because a job that changes meanwhile costs the whole piece. */
const perPiece = 20;
const perList = 200;

/** A part of a mass cancellation. `jobIds`: jobs that were found and come next. */
type Part = Round<Id<"jobs">> & { readonly jobIds?: readonly Id<"jobs">[] };

/**
 * Finds some of the jobs, or cancels the next of those that were found, and schedules the rest, including jobs that the app refused.
 * A transaction that reads a range of jobs conflicts with each worker that takes or ends one of them. So one only looks, and is short. The
 * others read single jobs, the newest first, because workers mostly take the oldest. One long transaction would lose to busy workers
 * until they have done the jobs.
 */
export async function cancelMany(
  ctx: MutationCtx,
  which: MassCancel,
  { refused, failures, jobIds = [] }: Part = { refused: [], failures: 0 },
): Promise<void> {
  const passed = [...refused];
  for (const jobId of jobIds.slice(0, perPiece))
    if (!(await cancelFound(ctx, which, jobId))) passed.push(jobId);
  const left = jobIds.length > 0 ? jobIds.slice(perPiece) : await findJobs(ctx, which, passed);
  const next = nextRound(jobIds.length > 0 || left.length > 0, { refused: passed, failures });
  if (next === null) return;
  const { delayMs, ...round } = next;
  await ctx.scheduler.runAfter(delayMs, maintenance.cancelMany, { ...which, ...round, jobIds: [...left] });
}

/** Cancels a job that was found a moment ago. Returns false if the app refused. */
async function cancelFound(ctx: MutationCtx, which: MassCancel, jobId: Id<"jobs">): Promise<boolean> {
  const job = await ctx.db.get("jobs", jobId);
  if (job === null || isFinal(job.status) || (job.status === "running" && !which.running)) return true;
  // A worker gave it back, and it is for the lane's next workers.
  if (which.by === "lane" && (job.readyAt ?? 0) > which.before) return true;
  return await runStep(ctx, { kind: "cancel", jobId, ...defined({ error: which.error }) });
}

/** The next jobs to cancel, at most `perList`: those that no worker holds first. */
async function findJobs(
  ctx: QueryCtx,
  which: MassCancel,
  passed: readonly Id<"jobs">[],
): Promise<readonly Id<"jobs">[]> {
  const statuses: readonly JobStatus[] = [
    "waiting",
    "ready",
    "prefetched",
    ...(which.running ? ["running" as const] : []),
  ];
  const found: Id<"jobs">[] = [];
  for (const status of statuses) {
    if (found.length >= perList) break;
    const jobs = await jobsOf(ctx, which, status, perList - found.length + passed.length);
    found.push(...jobs.map(({ _id }) => _id).filter((jobId) => !passed.includes(jobId)));
  }
  return found.slice(0, perList);
}

/** The newest jobs of a status. */
async function jobsOf(
  ctx: QueryCtx,
  which: MassCancel,
  status: JobStatus,
  limit: number,
): Promise<Doc<"jobs">[]> {
  const { scope, by, name, before } = which;
  switch (by) {
    case "requester":
      return await ctx.db
        .query("jobs")
        .withIndex("by_requester", (q) =>
          q.eq("scope", scope).eq("requester", name).eq("status", status).lte("submittedAt", before),
        )
        .order("desc")
        .take(limit);
    case "key":
      return await ctx.db
        .query("jobs")
        .withIndex("by_key", (q) =>
          q.eq("scope", scope).eq("key", name).eq("status", status).lte("submittedAt", before),
        )
        .order("desc")
        .take(limit);
    case "batch":
      return await ofBatch(ctx, scope, idOf(ctx, "batches", name), status, limit);
    case "lane":
      return await ofLane(ctx, which, idOf(ctx, "lanes", name), status, limit);
  }
}

async function ofBatch(
  ctx: QueryCtx,
  scope: string,
  batchId: Id<"batches"> | null,
  status: JobStatus,
  limit: number,
): Promise<Doc<"jobs">[]> {
  if (batchId === null) return [];
  const jobs = await ctx.db
    .query("jobs")
    .withIndex("by_batch", (q) => q.eq("batchId", batchId).eq("status", status))
    .order("desc")
    .take(limit);
  return jobs.filter((job) => job.scope === scope);
}

/** A lane's jobs are ordered by when they became ready. Waiting jobs have no such time and sort first. */
async function ofLane(
  ctx: QueryCtx,
  { scope, before }: MassCancel,
  laneId: Id<"lanes"> | null,
  status: JobStatus,
  limit: number,
): Promise<Doc<"jobs">[]> {
  if (laneId === null) return [];
  const jobs = await ctx.db
    .query("jobs")
    .withIndex("by_ready", (q) => q.eq("laneId", laneId).eq("status", status).lte("readyAt", before))
    .order("desc")
    .take(limit);
  return jobs.filter((job) => job.scope === scope);
}
