import type { JobHistory } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { laneName } from "../lanes/requirements.ts";
import { findOwned, remembered } from "../load.ts";
import { refuse } from "../refuse.ts";

const maxJobs = 100;
const maxAttempts = 50;

/** What happened to some of a scope's jobs. Each attempt and each worker is read once. Refuses: invalid. */
export async function historiesOf(
  ctx: QueryCtx,
  scope: string,
  jobIds: readonly string[],
): Promise<JobHistory[]> {
  if (jobIds.length > maxJobs) refuse("invalid", `jobIds may have at most ${String(maxJobs)} ids.`);
  const names = new Map<string, Promise<string | null>>();
  const nameOf = async (workerId: Id<"workers">): Promise<string | null> =>
    await remembered(
      names,
      workerId,
      async () => (await ctx.db.get("workers", workerId))?.externalId ?? null,
    );
  const found = await Promise.all(
    jobIds.map(async (jobId) => {
      const job = await findOwned(ctx, "jobs", scope, jobId);
      return job === null ? [] : [await historyOf(ctx, job, nameOf)];
    }),
  );
  return found.flat();
}

async function historyOf(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  nameOf: (workerId: Id<"workers">) => Promise<string | null>,
): Promise<JobHistory> {
  const newest = await ctx.db
    .query("attempts")
    .withIndex("by_job", (q) => q.eq("jobId", job._id))
    .order("desc")
    .take(maxAttempts);
  const attempts = newest.reverse().map(async (attempt) => ({
    worker: await nameOf(attempt.workerId),
    status: attempt.status,
    claimedAt: attempt.claimedAt,
    startedAt: attempt.startedAt ?? attempt.claimedAt,
    endedAt: attempt.endedAt ?? null,
    releaseReason: attempt.releaseReason ?? null,
    isSteal: attempt.isSteal === true,
  }));
  return {
    jobId: job._id,
    lane: laneName(job.kind, job.requirements ?? {}),
    status: job.status,
    round: job.round,
    submittedAt: job.submittedAt,
    startedAt: job.startedAt ?? null,
    finishedAt: job.finishedAt ?? null,
    attempts: await Promise.all(attempts),
  };
}
