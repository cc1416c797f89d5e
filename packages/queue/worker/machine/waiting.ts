import { afterFailure } from "../back-off.ts";
import type { Candidate, Candidates, Stand, Wish } from "../protocol.ts";
import { countIdle, isClaiming, wishOf } from "./capacity.ts";
import { chooseClaim, compareStands, stillLate } from "./claim-choice.ts";
import { isGreeted } from "./handshake.ts";
import type { WorkerState } from "./state.ts";
import type { Turn } from "./turn.ts";

/**
 * Looks for jobs to begin: where the worker waits, it follows the ready jobs there and claims one at a time; where it
 * waits nowhere, it asks for jobs. Jobs to hold ahead come only with the ends of others.
 */
export function lookForJobs(t: Turn): void {
  forgetTried(t);
  const wish = wishOf(t);
  const { state } = t;
  const isBusy = isClaiming(state);
  const idle = isBusy ? 0 : Math.min(wish.jobs, countIdle(state));
  // A job that was just handed over is done in a moment: meanwhile the worker keeps its place, and claims nothing.
  const keepsPlace =
    !isBusy && [...state.attempts.values()].some(({ reportStartAt }) => reportStartAt !== null);
  if (idle > 0 || !keepsPlace) followStands(t, idle > 0 ? state.stands : null);
  // Without a connection a call would wait, and come out when it is no longer wanted.
  if (idle <= 0 || !state.connection.connected || !isGreeted(state) || state.standStill) return;
  if (state.stands !== null) claimOne(t, { ...wish, jobs: idle - 1 });
  else if (!isReleasing(state) && state.calls.every(({ name }) => name !== "take"))
    t.call({ name: "take", args: { wish } });
}

/** Until a release is answered, the queue counts the job as held, and may have no room for another. */
function isReleasing({ attempts }: WorkerState): boolean {
  return [...attempts.values()].some(({ state }) => state.kind === "releasing");
}

/** Where the queue says that this worker waits now; null: nowhere. */
export function setStands(t: Turn, stands: readonly Stand[] | null): void {
  const before = t.state.stands;
  if (before !== null && stands !== null && compareStands(before, stands) === "same") return;
  followStands(t, null);
  t.set({ stands });
}

export function candidatesSeen(t: Turn, { stands, jobs }: Candidates): void {
  switch (compareStands(t.state.stands ?? [], stands)) {
    case "take-again":
      setStands(t, null);
      break;
    case "follow-these":
      setStands(t, stands);
      break;
    case "same":
      t.set({ lateSince: stillLate(t.state.lateSince, jobs, t.now), candidates: jobs });
  }
}

/** A job that was taken may be given back unseen, so it is tried again after a while. */
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

/** The worker subscribes to ready jobs only while it could claim one, so that they wake nobody else. */
function followStands(t: Turn, stands: readonly Stand[] | null): void {
  if (stands === t.state.followed) return;
  t.set({ followed: stands, candidates: [] });
  t.effect({ kind: "follow-stands", stands });
}

function claimOne(t: Turn, wish: Wish): void {
  const { candidates, tried, lateSince, times } = t.state;
  const choice = chooseClaim(candidates, tried, lateSince, { ...times, now: t.now });
  if (choice.kind === "wait") t.due(t.now + choice.ms);
  if (choice.kind === "claim") claim(t, choice.candidate, wish);
}

function claim(t: Turn, { jobId, late, laneId, crowded = false }: Candidate, wish: Wish): void {
  t.set({ tried: new Set(t.state.tried).add(jobId) });
  // The claim changes the ready jobs: the subscription would run again for nothing.
  followStands(t, null);
  t.call({ name: "claim", args: { jobId, late, laneId, ...(crowded ? { crowded } : {}), wish } });
}
