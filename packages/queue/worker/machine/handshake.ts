import { spreadOut } from "../contract/back-off.ts";
import type { Capabilities } from "../contract/protocol.ts";
import type { WorkerTimes } from "../contract/times.ts";
import type { CallFailure, SentCall, WorkerState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** Identifies a hello by its connection and capabilities. */
function helloKey(generation: number, capabilities: Capabilities): string {
  return JSON.stringify([generation, capabilities]);
}

function currentKey({ connection, capabilities }: WorkerState): string {
  return helloKey(connection.generation, capabilities);
}

/** Whether the queue knows this connection and these capabilities. */
export function isGreeted(state: WorkerState): boolean {
  return state.greeted !== null && state.greeted === currentKey(state);
}

/** Whether the queue knows this worker, or will when it gets the hello. Only then is a goodbye due. */
export function wasEverGreeted({ greeted, calls }: WorkerState): boolean {
  return greeted !== null || calls.some(({ name }) => name === "hello");
}

/** Says hello on each connection and at each change of capabilities, but not while that hello is sent or just failed. */
export function greet(t: Turn): void {
  const { state } = t;
  const { connection, capabilities, version, startup, refusedHello } = state;
  if (!state.started || !connection.connected || state.stop.kind === "leaving" || isGreeted(state)) return;
  const key = currentKey(state);
  const last = state.calls.findLast((call) => call.name === "hello");
  if (last !== undefined && keyOf(last) === key) return;
  if (refusedHello?.key === key && !t.due(refusedHello.retryAt)) return;
  const args = { capabilities, startup, ...(version === undefined ? {} : { version }) };
  t.call({ name: "hello", args });
}

export function greeted(t: Turn, call: SentCall, leaseMs: number): void {
  t.set({ greeted: keyOf(call), startup: false, keyUnknown: false, leaseMs });
  t.set({ refusedHello: null, helloFailures: 0 });
  // After `stop()` only goodbye is sent. A listener might make other calls.
  if (t.state.stop.kind !== "leaving") t.tell({ kind: "greeted" });
}

/** Plans to say hello again, later after each failure, but not with an unknown key. */
export function helloFailed(t: Turn, call: SentCall, { kind, error }: CallFailure, random: number): void {
  t.log("warn", "hello.refused", { error });
  const failures = t.state.helloFailures + 1;
  const retryAt = kind === "unknown-key" ? Infinity : t.now + spreadOut(failures, random);
  const key = keyOf(call);
  t.set({ refusedHello: key === null ? null : { key, retryAt }, helloFailures: failures });
}

function keyOf(call: SentCall): string | null {
  return call.name === "hello" ? helloKey(call.generation, call.args.capabilities) : null;
}

/** The longest time without a call, in ms. A lease has room for two heartbeats, so that one may be lost. */
export function heartbeatEvery(
  isHolding: boolean,
  leaseMs: number,
  times: Pick<WorkerTimes, "heartbeatHoldingMs" | "heartbeatIdleMs">,
): number {
  return isHolding ? Math.min(times.heartbeatHoldingMs, (leaseMs * 3) / 8) : times.heartbeatIdleMs;
}

/**
 * Sends a heartbeat when no call was sent for too long. Only one at a time: without a connection calls queue up, and one
 * heartbeat is enough.
 */
export function sendHeartbeat(t: Turn): void {
  const { state } = t;
  if (!wasEverGreeted(state) || state.keyUnknown) return;
  if (state.calls.some(({ name }) => name === "heartbeat")) return;
  const everyMs = heartbeatEvery(state.attempts.size > 0, state.leaseMs, state.times);
  if (t.due(state.lastSentAt + everyMs)) t.call({ name: "heartbeat", args: {} });
}
