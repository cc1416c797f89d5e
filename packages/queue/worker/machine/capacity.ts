import type { Demand } from "../contract/protocol.ts";
import { isUnderWay, takesRoom } from "./attempt-machine.ts";
import { isGreeted } from "./handshake.ts";
import type { WorkerState } from "./state.ts";
import { isJobRequest, type Turn } from "./turn.ts";

/** The most jobs that the queue lets one worker hold. */
export const maxHeld = 16;

/** Attempts whose handler runs or has yet to run. */
export function countTaken({ attempts }: WorkerState): number {
  return [...attempts.values()].filter(({ state }) => takesRoom(state)).length;
}

export function countHandlers({ attempts }: WorkerState): number {
  return [...attempts.values()].filter(({ state }) => isUnderWay(state)).length;
}

/** Whether a claim is unanswered. */
export function isClaiming({ calls }: WorkerState): boolean {
  return calls.some(({ name }) => name === "claim");
}

/** Whether a request for jobs is unanswered or will be sent again. */
export function isRequesting(state: WorkerState): boolean {
  return requests(state).length > 0;
}

/** How many more jobs to ask for, and where the queue's search continues. All calls together ask for no more than fit. */
export function demandOf(t: Turn): Demand {
  const { cursor } = t.state;
  const jobs = Math.max(0, room(t) - countRequested(t.state));
  return cursor === null ? { jobs } : { jobs, cursor };
}

/** How many more handlers could run. */
export function countIdle(state: WorkerState): number {
  return state.capacity.concurrency - countTaken(state) - countRequested(state) - (isClaiming(state) ? 1 : 0);
}

/** How many more jobs the worker could hold, requested ones included. */
function room(t: Turn): number {
  const { state } = t;
  const isDue = [state.takingPausedUntil, state.requestRetry.until].every((at) => t.due(at));
  if (state.mode.kind !== "accepting" || state.keyUnknown || !isDue || !isGreeted(state)) return 0;
  const { concurrency, prefetch } = state.capacity;
  return Math.min(state.mostHeld, concurrency + prefetch) - countTaken(state) - (isClaiming(state) ? 1 : 0);
}

function countRequested(state: WorkerState): number {
  return requests(state).reduce((sum, { args }) => sum + args.demand.jobs, 0);
}

function requests({ calls, retries }: WorkerState) {
  return [...calls, ...retries.map(({ call }) => call)].filter(isJobRequest);
}
