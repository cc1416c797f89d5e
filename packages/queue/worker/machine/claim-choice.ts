import type { Candidate, WaitSubscription } from "../contract/protocol.ts";

export type ClaimChoice =
  | { readonly kind: "claim"; readonly candidate: Candidate }
  /** Leave the jobs to other workers for `ms` more. */
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "none" };

/** By job id: since when each job that is not claimed at once has been listed without a break. */
export type LateSince = ReadonlyMap<string, number>;

/**
 * Chooses a ready job to claim, in the order in which the queue lists them. The worker's own jobs come first, since they
 * wake nobody else. A late job is first left to another worker for a while, and so is one that faster workers should run.
 * Jobs that were tried are left out.
 */
export function chooseClaim(
  jobs: readonly Candidate[],
  tried: ReadonlySet<string>,
  lateSince: LateSince,
  at: { readonly now: number; readonly lateAfterMs: number; readonly heldLateAfterMs: number },
): ClaimChoice {
  const untried = jobs.filter(({ jobId }) => !tried.has(jobId));
  const own = untried.find((job) => !isLeft(job));
  if (own !== undefined) return { kind: "claim", candidate: own };
  const waits = untried.map((job) => ({
    job,
    ms: (lateSince.get(job.jobId) ?? at.now) + (job.patienceMs ?? 0) + lateMs(job, at) - at.now,
  }));
  const due = waits.find(({ ms }) => ms <= 0);
  if (due !== undefined) return { kind: "claim", candidate: due.job };
  return waits.length === 0 ? { kind: "none" } : { kind: "wait", ms: Math.min(...waits.map(({ ms }) => ms)) };
}

/** Whether the worker leaves the job to others at first. */
export function isLeft({ late, patienceMs = 0 }: Candidate): boolean {
  return late || patienceMs > 0;
}

function lateMs(
  { late, held }: Candidate,
  at: { readonly lateAfterMs: number; readonly heldLateAfterMs: number },
): number {
  if (!late) return 0;
  return held === true ? at.heldLateAfterMs : at.lateAfterMs;
}

/** The jobs that are left to others and listed now. A job that left the list and came back counts from its return. */
export function stillLate(before: LateSince, jobs: readonly Candidate[], now: number): LateSince {
  return new Map(jobs.filter(isLeft).map(({ jobId }) => [jobId, before.get(jobId) ?? now]));
}

/**
 * Compares the ring positions that the worker follows with those that the queue shows. If one is gone, another worker took
 * this one for dead, or the lane was closed: the worker has to call `take` again. It follows positions that were added or
 * moved. A lane of "" means no lane: when the first lane opens, its position replaces that one.
 */
export function comparePositions(
  followed: readonly WaitSubscription[],
  seen: readonly WaitSubscription[],
): "same" | "follow-these" | "take-again" {
  const lost = followed.filter(({ laneId }) => seen.every((one) => one.laneId !== laneId));
  if (lost.some(({ laneId }) => laneId !== "" || seen.length === 0)) return "take-again";
  const same =
    seen.length === followed.length &&
    seen.every(({ laneId, position }) =>
      followed.some((one) => one.laneId === laneId && one.position === position),
    );
  return same ? "same" : "follow-these";
}
