import { isFinal, type JobStatus } from "../jobs/states.ts";
import { largerStartsWithinMs, lateVotesMs } from "./patience.ts";

/** A job of a vote that nobody waits for. Times are ms epoch. */
export type VoteJob = {
  readonly status: JobStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
};

/** The votes of a call before they are compared. The first job is as that of any call, and the others were given to idle devices. */
export type OpenVote = {
  /** How many answers are wanted. */
  readonly votes: number;
  /** When idle devices were last asked; null: never. */
  readonly askedAt: number | null;
  readonly jobs: readonly [VoteJob, ...VoteJob[]];
};

/** `ask`: the caller asks idle devices, and stores `askedAt`. `fail`: no device has answered. */
export type VoteStep =
  { readonly kind: "ask"; readonly askedAt: number } | { readonly kind: "compare" | "fail" } | Wait;
/** Wait for the end of a job, or until this time. Null: no time. */
type Wait = { readonly kind: "wait"; readonly until: number | null };

/**
 * The next step of a vote. Idle devices are asked when the first job has a device and when it has its answer, since nothing else tells
 * that they may be idle. Once an answer is there, or the first job has ended, the others have a short time left.
 */
export function nextVoteStep({ votes, askedAt, jobs }: OpenVote, now: number): VoteStep {
  const [first] = jobs;
  if (jobs.length < votes && mayAsk(first, askedAt))
    // The clock may step back before the answer. Without this, devices would be asked again and again.
    return { kind: "ask", askedAt: Math.max(now, first.finishedAt ?? 0) };
  const ended = jobs.filter((job) => job.status === "succeeded" || (job === first && isFinal(job.status)));
  const ends = ended.map(({ finishedAt }) => finishedAt ?? now);
  const tookMs = ended.map(({ startedAt, finishedAt }) => (finishedAt ?? now) - (startedAt ?? now));
  const until = Math.max(Math.min(...ends), askedAt ?? 0) + lateVotesMs(Math.min(...tookMs));
  if (jobs.every(({ status }) => isFinal(status)) || (ended.length > 0 && now >= until))
    return { kind: jobs.some(({ status }) => status === "succeeded") ? "compare" : "fail" };
  return { kind: "wait", until: ended.length === 0 ? null : until };
}

/** A request that fails on a device would fail on others. */
function mayAsk({ status, finishedAt }: VoteJob, askedAt: number | null): boolean {
  if (status === "waiting" || status === "ready") return false;
  if (!isFinal(status)) return askedAt === null;
  return status === "succeeded" && (askedAt === null || askedAt < (finishedAt ?? 0));
}

/** A device may lose the job of a larger model again. So it is looked at this often, in ms. */
const lookAgainMs = 60_000;

/** The next step with the job of a larger model. `next`: the next model is asked, if there is one. */
export function nextLargerStep(
  { status, askedAt }: { readonly status: JobStatus; readonly askedAt: number },
  now: number,
): { readonly kind: "decide" | "next" } | Wait {
  if (status === "succeeded") return { kind: "decide" };
  if (isFinal(status)) return { kind: "next" };
  if (status === "running" || status === "prefetched") return { kind: "wait", until: now + lookAgainMs };
  const until = askedAt + largerStartsWithinMs;
  return now >= until ? { kind: "next" } : { kind: "wait", until };
}
