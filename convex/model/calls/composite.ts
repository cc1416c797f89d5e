import { sumOfEnergy } from "../../../app/energy/job-energy.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { RequesterJob } from "../requests/requesterJob.ts";

/**
 * The state of a call of several jobs, as one job, without the outlook of its wait. `failed`: the job whose failure is that of the call;
 * null: none is. `waiting`: the last job that waits; null: none does.
 */
type Composite = {
  readonly job: RequesterJob;
  readonly failed: string | null;
  readonly waiting: string | null;
};

/**
 * Adds up the jobs of a call. It is answered once all of them are. A call with votes ends by its own decision. Facts
 * about its wait are those of the last job that waits, since the answer needs all of them.
 */
export function composite(
  jobs: readonly [RequesterJob, ...RequesterJob[]],
  { vote, end }: Pick<Doc<"calls">, "vote" | "end">,
): Composite {
  const [first] = jobs;
  const failed = jobs.find(({ jobId }) => jobId === end?.failed?.jobId) ?? null;
  const status = end === undefined ? openStatus(jobs, vote !== undefined) : statusAt(end);
  const isOver = isFinal(status);
  const queued = isOver ? [] : jobs.filter((job) => job.status === "queued");
  // A job that a device holds ahead is queued, too, but has no reason to wait.
  const waiting = queued.findLast(({ waitsFor }) => waitsFor !== null) ?? queued.at(-1);
  const answered = jobs.filter((job) => job.status === "succeeded");
  const paid = jobs.flatMap(({ priceMicro }) => (priceMicro === null ? [] : [priceMicro]));
  const usages = jobs.flatMap(({ usage }) => (usage === null ? [] : [usage]));
  const sum = (of: (usage: (typeof usages)[number]) => number): number =>
    usages.reduce((total, usage) => total + of(usage), 0);
  const endedAt = Math.max(...jobs.map(({ finishedAt }) => finishedAt ?? 0));
  const job: RequesterJob = {
    ...first,
    status,
    waitsFor: waiting?.waitsFor ?? null,
    outlook: waiting?.outlook ?? null,
    startedAt: jobs.reduce<number | null>((least, { startedAt }) => earlier(least, startedAt), null),
    finishedAt: !isOver ? null : (end?.at ?? endedAt),
    attempts: jobs.reduce((total, { attempts }) => total + attempts, 0),
    usage:
      !isOver || usages.length === 0
        ? null
        : {
            promptTokens: sum(({ promptTokens }) => promptTokens),
            completionTokens: sum(({ completionTokens }) => completionTokens),
            cachedPromptTokens: sum(({ cachedPromptTokens = 0 }) => cachedPromptTokens),
          },
    energy: isOver ? sumOfEnergy(answered.map(({ energy }) => energy)) : null,
    priceMicro: !isOver || paid.length === 0 ? null : paid.reduce((total, micro) => total + micro),
    error: failed?.error ?? end?.error ?? null,
    foundWrong: firstFoundWrong(jobs, end?.decision?.answer),
    corrects: null,
  };
  return { job, failed: failed?.jobId ?? null, waiting: waiting?.jobId ?? null };
}

function openStatus(
  jobs: readonly [RequesterJob, ...RequesterJob[]],
  hasVotes: boolean,
): RequesterJob["status"] {
  if (hasVotes) return jobs[0].status === "queued" ? "queued" : "running";
  if (jobs.every(({ status }) => status === "succeeded")) return "succeeded";
  return jobs.every(({ status }) => status === "queued") ? "queued" : "running";
}

/** Answers that are deleted at once cannot be compared, so a vote may fail with a job that has succeeded. */
function statusAt({ how, failed }: NonNullable<Doc<"calls">["end"]>): RequesterJob["status"] {
  return how === "decided" ? "succeeded" : (failed?.status ?? how);
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** The first answer of a call that was found wrong. Of compared answers only the chosen one counts. */
function firstFoundWrong(
  jobs: readonly RequesterJob[],
  chosen: string | undefined,
): RequesterJob["foundWrong"] {
  const [first = null] = jobs
    .filter(({ jobId }) => chosen === undefined || jobId === chosen)
    .flatMap(({ foundWrong }) => (foundWrong === null ? [] : [foundWrong]))
    .toSorted((a, b) => a.at - b.at);
  return first;
}
