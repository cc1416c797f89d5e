import type { Candidate, Stand } from "../protocol.ts";

export type ClaimChoice =
  | { readonly kind: "claim"; readonly candidate: Candidate }
  /** One is left to another worker for so many ms more. */
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "none" };

/** Since when each `late` job has been listed without a break, by its id. */
export type LateSince = ReadonlyMap<string, number>;

/**
 * What to claim of what is ready, in the order in which the queue lists it: the first of its own jobs, which nobody else
 * is woken for; a late one only after another worker has had its time. What was tried is left out.
 */
export function chooseClaim(
  jobs: readonly Candidate[],
  tried: ReadonlySet<string>,
  lateSince: LateSince,
  at: { readonly now: number; readonly lateAfterMs: number; readonly heldLateAfterMs: number },
): ClaimChoice {
  const untried = jobs.filter(({ jobId }) => !tried.has(jobId));
  const own = untried.find(({ late }) => !late);
  if (own !== undefined) return { kind: "claim", candidate: own };
  const waits = untried.map((job) => ({
    job,
    ms:
      (lateSince.get(job.jobId) ?? at.now) +
      (job.held === true ? at.heldLateAfterMs : at.lateAfterMs) -
      at.now,
  }));
  const due = waits.find(({ ms }) => ms <= 0);
  if (due !== undefined) return { kind: "claim", candidate: due.job };
  return waits.length === 0 ? { kind: "none" } : { kind: "wait", ms: Math.min(...waits.map(({ ms }) => ms)) };
}

/** What is listed as late now, each since when it was first: one that left the list begins anew. */
export function stillLate(before: LateSince, jobs: readonly Candidate[], now: number): LateSince {
  const late = jobs.filter((job) => job.late);
  return new Map(late.map(({ jobId }) => [jobId, before.get(jobId) ?? now]));
}

/**
 * What to do when the queue shows where this worker stands. One of its stands gone: somebody took it for dead, or the
 * lane was closed, so it has to look for work itself again. Others or moved ones, or a first one in place of that for
 * no lane: it follows those.
 */
export function compareStands(
  followed: readonly Stand[],
  seen: readonly Stand[],
): "same" | "follow-these" | "take-again" {
  const lost = followed.filter(({ laneId }) => seen.every((stand) => stand.laneId !== laneId));
  if (lost.some(({ laneId }) => laneId !== "" || seen.length === 0)) return "take-again";
  const same =
    seen.length === followed.length &&
    seen.every(({ laneId, position }) =>
      followed.some((stand) => stand.laneId === laneId && stand.position === position),
    );
  return same ? "same" : "follow-these";
}
