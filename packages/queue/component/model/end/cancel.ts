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

/** Small, because each cancellation may call the app. */
const perPiece = 50;

/** Cancels some jobs and schedules the rest, including those that the app refused. */
export async function cancelMany(
  ctx: MutationCtx,
  which: MassCancel,
  { refused, failures }: Round<Id<"jobs">> = { refused: [], failures: 0 },
): Promise<void> {
  const statuses: JobStatus[] = [
    "waiting",
    "ready",
    "prefetched",
    ...(which.running ? ["running" as const] : []),
  ];
  const passed = new Set(refused);
  let room = perPiece;
  for (const status of statuses) {
    const found = await jobsOf(ctx, which, status, room + refused.length);
    const jobs = found.filter(({ _id }) => !passed.has(_id)).slice(0, room);
    for (const { _id: jobId } of jobs) {
      if (!(await runStep(ctx, { kind: "cancel", jobId, ...defined({ error: which.error }) })))
        passed.add(jobId);
    }
    room -= jobs.length;
    if (room === 0) break;
  }
  const next = nextRound(room === 0, { refused: [...passed], failures });
  if (next === null) return;
  const { delayMs, ...round } = next;
  await ctx.scheduler.runAfter(delayMs, maintenance.cancelMany, { ...which, ...round });
}

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
        .take(limit);
    case "key":
      return await ctx.db
        .query("jobs")
        .withIndex("by_key", (q) =>
          q.eq("scope", scope).eq("key", name).eq("status", status).lte("submittedAt", before),
        )
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
    .take(limit);
  return jobs.filter((job) => job.scope === scope);
}
