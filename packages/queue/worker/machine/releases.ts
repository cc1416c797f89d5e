import { countTaken, isAsking, isClaiming } from "./capacity.ts";
import type { Attempt, WorkerState } from "./state.ts";
import type { Turn } from "./turn.ts";
import { setStands } from "./waiting.ts";

/** Gives a job back: all that are given back for one reason at one moment go in one call. */
export function giveBack(t: Turn, attemptId: string, reason: string): void {
  const { releases } = t.state;
  if (releases.size === 0) t.effect({ kind: "flush" });
  t.set({ releases: new Map(releases).set(reason, [...(releases.get(reason) ?? []), attemptId]) });
}

/** Whether the queue is being told that this worker no longer has the attempt. */
export function isGivenBack({ releases, calls, retries }: WorkerState, attemptId: string): boolean {
  const sent = [...calls, ...retries.map(({ call }) => call)];
  return (
    [...releases.values()].some((ids) => ids.includes(attemptId)) ||
    sent.some((call) => call.name === "release" && call.args.attemptIds.includes(attemptId))
  );
}

/** Sends what was given back, and with it that the worker takes no more, where that is so. */
export function sendReleases(t: Turn): void {
  const { releases, mode } = t.state;
  t.set({ releases: new Map() });
  const leave = mode.kind !== "accepting";
  for (const [reason, attemptIds] of releases) {
    // A handed job that it finishes would be given back with those that have not begun.
    if (mode.kind === "draining") reportStarts(t, unreportedStarts(t.state));
    if (leave) getOutOfLine(t);
    t.call({ name: "release", args: { attemptIds, reason, leave } });
  }
}

/** Tells the queue that no more is taken, unless that goes with what is given back. */
export function leaveIfDue(t: Turn): void {
  const { state } = t;
  const { mode, inRings, keyUnknown, stop } = state;
  if (mode.kind === "accepting" || stop.kind === "leaving" || !inRings || keyUnknown) return;
  if (isAsking(state) || isClaiming(state) || isLeaving(state)) return;
  if (mode.kind === "paused" && countTaken(state) > 0) return;
  // A handed job that runs would be given back with those that have not begun.
  reportStarts(t, unreportedStarts(state));
  getOutOfLine(t);
  t.call({ name: "leave", args: {} });
}

/** Tells the queue which attempts have begun, so that nobody else takes them. */
export function reportStarts(t: Turn, attemptIds: readonly string[]): void {
  if (attemptIds.length === 0) return;
  for (const attemptId of attemptIds) t.setAttempt(attemptId, { reportStartAt: null });
  t.call({ name: "start", args: { attemptIds } });
}

/** Reports handed attempts that last: the end of a short one says that it had begun. */
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

/** A call is under way that says, or may say, that the worker takes no more. */
function isLeaving({ releases, calls, retries }: WorkerState): boolean {
  const sent = [...calls, ...retries.map(({ call }) => call)];
  return releases.size > 0 || sent.some(({ name }) => name === "release" || name === "leave");
}

function getOutOfLine(t: Turn): void {
  t.set({ inRings: false });
  setStands(t, null);
}
