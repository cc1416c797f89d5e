import { countTaken, isClaiming, isRequesting } from "./capacity.ts";
import type { Attempt, WorkerState } from "./state.ts";
import type { Turn } from "./turn.ts";
import { setWaitsAt } from "./waiting.ts";

/** Gives a job back. Jobs that are given back together for the same reason go in one call. */
export function giveBack(t: Turn, attemptId: string, reason: string): void {
  const { releases } = t.state;
  if (releases.size === 0) t.effect({ kind: "flush" });
  t.set({ releases: new Map(releases).set(reason, [...(releases.get(reason) ?? []), attemptId]) });
}

/** Whether the attempt is given back by a call that is planned, unanswered or to be retried. */
export function isGivenBack({ releases, calls, retries }: WorkerState, attemptId: string): boolean {
  const sent = [...calls, ...retries.map(({ call }) => call)];
  return (
    [...releases.values()].some((ids) => ids.includes(attemptId)) ||
    sent.some((call) => call.name === "release" && call.args.attemptIds.includes(attemptId))
  );
}

/** Sends the planned releases. `leave`: the worker takes no more jobs. */
export function sendReleases(t: Turn): void {
  const { releases, mode } = t.state;
  t.set({ releases: new Map() });
  const leave = mode.kind !== "accepting";
  for (const [reason, attemptIds] of releases) {
    // With `leave` the queue takes back all jobs that it believes unstarted, even if they run.
    if (mode.kind === "draining") reportStarts(t, unreportedStarts(t.state));
    if (leave) leaveRings(t);
    t.call({ name: "release", args: { attemptIds, reason, leave } });
  }
}

/** Calls `leave` when the worker takes no more jobs, unless a `release` call already has `leave`. */
export function leaveIfDue(t: Turn): void {
  const { state } = t;
  const { mode, inRings, keyUnknown, stop } = state;
  if (mode.kind === "accepting" || stop.kind === "leaving" || !inRings || keyUnknown) return;
  if (isRequesting(state) || isClaiming(state) || isLeaving(state)) return;
  if (mode.kind === "paused" && countTaken(state) > 0) return;
  // The same as in `sendReleases`.
  reportStarts(t, unreportedStarts(state));
  leaveRings(t);
  t.call({ name: "leave", args: {} });
}

/** Reports that attempts have begun, so that no other worker steals them. */
export function reportStarts(t: Turn, attemptIds: readonly string[]): void {
  if (attemptIds.length === 0) return;
  for (const attemptId of attemptIds) t.setAttempt(attemptId, { reportStartAt: null });
  t.call({ name: "start", args: { attemptIds } });
}

/** Reports that handed attempts have begun, if they last. The end of a short one implies it. */
export function reportLasting(t: Turn): void {
  const isDue = ({ reportStartAt }: Attempt): boolean => reportStartAt !== null && t.due(reportStartAt);
  reportStarts(
    t,
    unreportedStarts(t.state).filter((attemptId) => {
      const attempt = t.state.attempts.get(attemptId);
      return attempt !== undefined && isDue(attempt);
    }),
  );
}

export function unreportedStarts({ attempts }: WorkerState): readonly string[] {
  return [...attempts].flatMap(([attemptId, { reportStartAt }]) =>
    reportStartAt === null ? [] : [attemptId],
  );
}

/** Whether an unfinished call says, or may say, that the worker takes no more jobs. */
function isLeaving({ releases, calls, retries }: WorkerState): boolean {
  const sent = [...calls, ...retries.map(({ call }) => call)];
  return releases.size > 0 || sent.some(({ name }) => name === "release" || name === "leave");
}

function leaveRings(t: Turn): void {
  t.set({ inRings: false });
  setWaitsAt(t, null);
}
