import { sumOfEnergy } from "../../../app/energy/job-energy.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { RequesterJob } from "../requests/requesterJob.ts";

/** The state of a call of several jobs, as one job. `failed`: the job whose failure is that of the call; null: none is. */
type Composite = { readonly job: RequesterJob; readonly failed: string | null };

/**
 * Adds up the jobs of a call. The call has failed as soon as one of them has, and is answered once all are. A call with votes ends by
 * its own decision. Facts about its wait are those of the last job that waits, since the answer needs all of them.
 * @param end of a call with votes; null before it; undefined: it has none.
 */
export function composite(
  jobs: readonly [RequesterJob, ...RequesterJob[]],
  end: Doc<"calls">["end"] | null,
): Composite {
  const [first] = jobs;
  const failed = end === undefined ? firstFailure(jobs) : end?.how === "failed" ? first : null;
  const status = end === undefined ? (failed?.status ?? openStatus(jobs)) : statusOfVote(jobs, end);
  const isOver = isFinal(status);
  const waiting = isOver ? undefined : jobs.findLast((job) => job.status === "queued");
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
    finishedAt: !isOver ? null : (end?.at ?? failed?.finishedAt ?? endedAt),
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
    error: failed?.error ?? null,
    foundWrong: null,
    corrects: null,
  };
  return { job, failed: failed?.jobId ?? null };
}

/** The job that has failed first. The others were canceled after it. */
function firstFailure(jobs: readonly RequesterJob[]): RequesterJob | null {
  const failures = jobs.filter(({ status }) => isFinal(status) && status !== "succeeded");
  const [first = null] = failures.toSorted(
    (a, b) =>
      (a.finishedAt ?? 0) - (b.finishedAt ?? 0) ||
      Number(a.status === "canceled") - Number(b.status === "canceled"),
  );
  return first;
}

function openStatus(jobs: readonly RequesterJob[]): RequesterJob["status"] {
  if (jobs.every(({ status }) => status === "succeeded")) return "succeeded";
  return jobs.every(({ status }) => status === "queued") ? "queued" : "running";
}

function statusOfVote(
  jobs: readonly [RequesterJob, ...RequesterJob[]],
  end: Doc<"calls">["end"] | null,
): RequesterJob["status"] {
  if (end === undefined || end === null) return jobs[0].status === "queued" ? "queued" : "running";
  if (end.how === "canceled") return "canceled";
  // Answers that are deleted at once cannot be compared, so the first one counts as the end.
  return end.how === "decided" ? "succeeded" : jobs[0].status;
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
