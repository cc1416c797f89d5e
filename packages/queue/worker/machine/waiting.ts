import { afterFailure } from "../contract/back-off.ts";
import type { Candidate, Candidates, Demand, WaitSubscription } from "../contract/protocol.ts";
import { countIdle, demandOf, isClaiming } from "./capacity.ts";
import { chooseClaim, comparePositions, isLeft, stillLate } from "./claim-choice.ts";
import { isGreeted } from "./handshake.ts";
import type { WorkerState } from "./state.ts";
import type { Turn } from "./turn.ts";

/**
 * Looks for jobs to start. A worker that waits in lanes subscribes to their ready jobs and claims one at a time. Otherwise
 * it calls `take`. A worker without a free handler does neither: jobs to prefetch come with the end of others, or some time
 * after a claim.
 */
export function lookForJobs(t: Turn): void {
  forgetTried(t);
  const demand = demandOf(t);
  const { state } = t;
  const isBusy = isClaiming(state);
  const idle = isBusy ? 0 : Math.min(demand.jobs, countIdle(state));
  // A handed job usually ends at once. Until its start is reported, the worker keeps waiting and claims nothing.
  const keepsPlace =
    !isBusy && [...state.attempts.values()].some(({ reportStartAt }) => reportStartAt !== null);
  if (idle > 0 || !keepsPlace) followReadyJobs(t, idle > 0 ? state.waitsAt : null);
  else if (state.askAheadAt === Infinity) leaveOthers(t);
  // Without a connection the call would go out later, when it may not be wanted anymore.
  if (!state.connection.connected || !isGreeted(state) || state.holdNewJobs) return;
  if (idle <= 0 && keepsPlace) return;
  if (idle <= 0) askAhead(t, demand);
  else if (state.waitsAt !== null) claimOne(t, { ...demand, jobs: idle - 1 });
  else take(t, demand);
}

function take(t: Turn, demand: Demand): void {
  const { state } = t;
  if (!isReleasing(state) && state.calls.every(({ name }) => name !== "take"))
    t.call({ name: "take", args: { demand } });
}

/** Asks once for jobs to prefetch. Otherwise no job would be ready to begin at the end of the first of a burst. */
function askAhead(t: Turn, demand: Demand): void {
  const { askAheadAt } = t.state;
  if (askAheadAt === Infinity || !t.due(askAheadAt) || isClaiming(t.state)) return;
  t.set({ askAheadAt: Infinity });
  if (demand.jobs > 0) take(t, demand);
}

/**
 * Notes when to ask for the other jobs in sight, if this worker got the last that it can start. An idle worker should get them. Those
 * that are left after a while are for this one.
 */
function leaveOthers(t: Turn): void {
  const { candidates, tried, times } = t.state;
  const seesOthers = candidates.some((each) => !isLeft(each) && !tried.has(each.jobId));
  t.set({ askAheadAt: seesOthers ? t.now + times.lateAfterMs : Infinity });
}

/** Until a release is answered, the queue counts the job as held, and may have no room for another. */
function isReleasing({ attempts }: WorkerState): boolean {
  return [...attempts.values()].some(({ state }) => state.kind === "releasing");
}

/** Notes where the queue has this worker wait; null: nowhere. */
export function setWaitsAt(t: Turn, waitsAt: readonly WaitSubscription[] | null): void {
  const before = t.state.waitsAt;
  if (before !== null && waitsAt !== null && comparePositions(before, waitsAt) === "same") return;
  followReadyJobs(t, null);
  t.set({ waitsAt });
}

export function candidatesSeen(t: Turn, { subscriptions, jobs }: Candidates): void {
  switch (comparePositions(t.state.waitsAt ?? [], subscriptions)) {
    case "take-again":
      setWaitsAt(t, null);
      break;
    case "follow-these":
      // The query shows the jobs at these positions already. A new subscription would run it again for nothing.
      t.set({ waitsAt: subscriptions, followed: subscriptions });
      showCandidates(t, jobs);
      break;
    case "same":
      showCandidates(t, jobs);
  }
}

function showCandidates(t: Turn, jobs: readonly Candidate[]): void {
  t.set({ lateSince: stillLate(t.state.lateSince, jobs, t.now), candidates: jobs });
}

/** Another worker may claim a job and give it back unseen, so the job is tried again after a while. */
export function retryTriedLater(t: Turn): void {
  t.set({ forgetTriedAt: t.now + t.state.times.triedForMs });
}

export function backOff(t: Turn, random: number): void {
  t.set({ requestRetry: afterFailure(t.state.requestRetry, t.now, random) });
}

function forgetTried(t: Turn): void {
  if (t.state.forgetTriedAt === Infinity || !t.due(t.state.forgetTriedAt)) return;
  t.set({ tried: new Set(), forgetTriedAt: Infinity });
}

/** Subscribes to ready jobs. The worker does so only while it could claim one, so that a job wakes no busy worker. */
function followReadyJobs(t: Turn, at: readonly WaitSubscription[] | null): void {
  if (at === t.state.followed) return;
  t.set({ followed: at, candidates: [] });
  t.effect({ kind: "follow-ready-jobs", at });
}

function claimOne(t: Turn, demand: Demand): void {
  const { candidates, tried, lateSince, times } = t.state;
  const choice = chooseClaim(candidates, tried, lateSince, { ...times, now: t.now });
  if (choice.kind === "wait") t.due(t.now + choice.ms);
  if (choice.kind === "claim") claim(t, choice.candidate, demand);
}

function claim(t: Turn, { jobId, late, laneId, backlogged = false }: Candidate, demand: Demand): void {
  t.set({ tried: new Set(t.state.tried).add(jobId), askAheadAt: Infinity });
  if (demand.jobs === 0) leaveOthers(t);
  // The claim changes the ready jobs: the subscription would run again for nothing.
  followReadyJobs(t, null);
  t.call({ name: "claim", args: { jobId, late, laneId, ...(backlogged ? { backlogged } : {}), demand } });
}
