import type { Wish } from "../protocol.ts";
import { isUnderWay, takesRoom } from "./attempt-machine.ts";
import { isGreeted } from "./handshake.ts";
import type { WorkerState } from "./state.ts";
import { isJobRequest, type Turn } from "./turn.ts";

/** The queue lets one worker hold no more. */
const maxHeld = 16;

/** Attempts that are to be run, or whose handler is at work. */
export function countTaken({ attempts }: WorkerState): number {
  return [...attempts.values()].filter(({ state }) => takesRoom(state)).length;
}

export function countHandlers({ attempts }: WorkerState): number {
  return [...attempts.values()].filter(({ state }) => isUnderWay(state)).length;
}

/** A claim was sent and is not answered. */
export function isClaiming({ calls }: WorkerState): boolean {
  return calls.some(({ name }) => name === "claim");
}

/** A call that may bring as many jobs as it wishes for has no answer, or is to be sent again. */
export function isAsking(state: WorkerState): boolean {
  return requests(state).length > 0;
}

/** How many more jobs to ask for, and where the queue goes on looking. All calls together ask for no more than fit. */
export function wishOf(t: Turn): Wish {
  const { cursor } = t.state;
  const jobs = Math.max(0, room(t) - countWished(t.state));
  return cursor === null ? { jobs } : { jobs, cursor };
}

/** How many more handlers could be at work. */
export function countIdle(state: WorkerState): number {
  return state.capacity.concurrency - countTaken(state) - countWished(state) - (isClaiming(state) ? 1 : 0);
}

/** How many more jobs the worker could hold, with those that are asked for. */
function room(t: Turn): number {
  const { state } = t;
  const isRested = [state.restUntil, state.requestRetry.until].every((at) => t.due(at));
  if (state.mode.kind !== "accepting" || state.keyUnknown || !isRested || !isGreeted(state)) return 0;
  const { concurrency, prefetch } = state.capacity;
  return Math.min(maxHeld, concurrency + prefetch) - countTaken(state) - (isClaiming(state) ? 1 : 0);
}

function countWished(state: WorkerState): number {
  return requests(state).reduce((sum, { args }) => sum + args.wish.jobs, 0);
}

function requests({ calls, retries }: WorkerState) {
  return [...calls, ...retries.map(({ call }) => call)].filter(isJobRequest);
}
