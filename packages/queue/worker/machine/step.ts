import { assertNever } from "../../shared/assert-never.ts";
import { noFailures } from "../contract/back-off.ts";
import type { Capabilities } from "../contract/protocol.ts";
import type { WorkerTimes } from "../contract/times.ts";
import type { Abilities, Capacity } from "../contract/worker-options.ts";
import { forgetKey, onAnswer, onFailure, sendRetries } from "./answers.ts";
import { adopt, beginJobs, handlerEnded, yieldAll, yieldWaiting } from "./attempts.ts";
import { countHandlers, maxHeld } from "./capacity.ts";
import { greet, sendHeartbeat, wasEverGreeted } from "./handshake.ts";
import { compareWithHeld, followHeld } from "./held.ts";
import { noForeignAttempts } from "./held-rows.ts";
import { sendOutput } from "./output.ts";
import { leaveIfDue, reportLasting, sendReleases } from "./releases.ts";
import type { Effect, MachineEvent, Mode, WorkerState } from "./state.ts";
import { pushText } from "./text-stream.ts";
import { Turn } from "./turn.ts";
import { candidatesSeen, lookForJobs, setWaitsAt } from "./waiting.ts";

/** `wakeAt`: when to send the event `timer`, if nothing else happens before; null: never. */
export type Step = {
  readonly state: WorkerState;
  readonly effects: readonly Effect[];
  readonly wakeAt: number | null;
};

/**
 * Takes in an event, then does everything that is due. Nothing here reads a clock, waits, or makes a call.
 * @param now of `performance.now()`: a clock that is set back must not keep a worker silent.
 */
export function step(before: WorkerState, event: MachineEvent, now: number): Step {
  const t = new Turn(before, now);
  if (!isOver(t)) takeIn(t, event);
  if (!isOver(t)) doWhatIsDue(t);
  return { state: t.state, effects: t.effects, wakeAt: isOver(t) ? null : t.wakeAt };
}

export type InitialOptions = {
  readonly version: string | undefined;
  readonly kinds: readonly string[];
  readonly times: WorkerTimes;
  readonly capacity: Capacity;
  readonly abilities: Abilities;
  readonly mode: Mode;
};

export function initialState({ abilities, ...options }: InitialOptions): WorkerState {
  return {
    ...options,
    capabilities: capabilitiesOf(options.kinds, abilities, options.capacity),
    mostHeld: maxHeld,
    stop: { kind: "no" },
    holdNewJobs: false,
    takingPausedUntil: 0,
    started: false,
    connection: { connected: false, generation: 0 },
    keyUnknown: false,
    greeted: null,
    refusedHello: null,
    helloFailures: 0,
    startup: true,
    leaseMs: Infinity,
    calls: [],
    retries: [],
    lastCallId: 0,
    lastSentAt: 0,
    attempts: new Map(),
    releases: new Map(),
    cursor: null,
    inRings: false,
    requestRetry: noFailures,
    waitsAt: null,
    followed: null,
    candidates: [],
    lateSince: new Map(),
    tried: new Set(),
    forgetTriedAt: Infinity,
    askAheadAt: Infinity,
    followsHeld: false,
    heldRows: null,
    compareHeld: false,
    unsettled: new Set(),
    foreign: noForeignAttempts,
    leftToOtherUntil: 0,
  };
}

function takeIn(t: Turn, event: MachineEvent): void {
  const { state, now } = t;
  switch (event.kind) {
    case "start":
      t.set({ started: true, keyUnknown: false, refusedHello: null });
      return;
    case "connection":
      t.set({ connection: event.connection });
      return;
    case "accept":
      if (state.stop.kind === "no") t.set({ mode: { kind: "accepting" } });
      return;
    case "pause":
      pause(t, event.reason);
      return;
    case "finish":
      drain(t, event.reason);
      return;
    case "pause-taking":
      t.set({ takingPausedUntil: Math.max(state.takingPausedUntil, now + event.ms) });
      yieldWaiting(t, "resting");
      return;
    case "hold-new-jobs":
      t.set({ holdNewJobs: event.on });
      return;
    case "capabilities":
      setCapabilities(t, event.abilities, event.capacity);
      return;
    case "stop":
      if (state.stop.kind === "leaving") return;
      drain(t, "shutdown");
      t.set({ stop: { kind: "finishing", by: now + event.finishMs, leaveMs: event.leaveMs } });
      return;
    case "answered":
      onAnswer(t, event);
      return;
    case "failed":
      onFailure(t, event.id, event.failure, event.random);
      return;
    case "candidates":
      if (state.followed !== null) candidatesSeen(t, event.seen);
      return;
    case "handed":
      // The queue shows the last handed job even after its end.
      for (const job of event.jobs) if (!state.foreign.own.has(job.attemptId)) adopt(t, job, true);
      return;
    case "held":
      if (state.followsHeld) t.set({ heldRows: event.rows, compareHeld: true });
      return;
    case "query-failed":
      if (event.failure.kind === "unknown-key") forgetKey(t);
      t.log("warn", "backend.query-failed", { query: event.query, error: event.failure.error });
      return;
    case "handler-ended":
      handlerEnded(t, event.attemptId, event.end);
      return;
    case "text":
    case "progress":
      takeOutput(t, event);
      return;
    case "flush":
      sendReleases(t);
      return;
    case "timer":
      return;
    default:
      assertNever(event);
  }
}

/** Each part does nothing if nothing is due. The order matters: later parts see the calls of earlier ones. */
function doWhatIsDue(t: Turn): void {
  advanceStop(t);
  if (isOver(t)) return;
  sendRetries(t);
  greet(t);
  compareWithHeld(t);
  beginJobs(t);
  reportLasting(t);
  sendOutput(t);
  lookForJobs(t);
  leaveIfDue(t);
  followHeld(t);
  sendHeartbeat(t);
}

/** Ends the worker in time: lets handlers finish, then aborts them, then says goodbye when nothing is held anymore. */
function advanceStop(t: Turn): void {
  const { stop: finishing } = t.state;
  if (finishing.kind === "finishing" && (countHandlers(t.state) === 0 || t.due(finishing.by))) {
    pause(t, "shutdown");
    t.set({ stop: { kind: "leaving", by: t.now + finishing.leaveMs, saidGoodbye: false } });
  }
  const { stop, attempts, keyUnknown } = t.state;
  if (stop.kind !== "leaving") return;
  if (attempts.size === 0 && !stop.saidGoodbye) {
    const isKnown = wasEverGreeted(t.state) && !keyUnknown;
    if (isKnown) t.call({ name: "goodbye", args: {} });
    t.set({ stop: isKnown ? { ...stop, saidGoodbye: true } : { kind: "over" } });
  }
  if (t.due(stop.by)) t.set({ stop: { kind: "over" } });
}

function isOver(t: Turn): boolean {
  return t.state.stop.kind === "over";
}

function pause(t: Turn, reason: string): void {
  t.set({ mode: { kind: "paused", reason } });
  yieldAll(t, reason);
}

function drain(t: Turn, reason: string): void {
  if (t.state.stop.kind === "leaving") return;
  t.set({ mode: { kind: "draining" } });
  yieldWaiting(t, reason);
}

function setCapabilities(t: Turn, abilities: Abilities, capacity = t.state.capacity): void {
  const { kinds, capabilities: before } = t.state;
  const capabilities = capabilitiesOf(kinds, abilities, capacity);
  if (JSON.stringify(capabilities) === JSON.stringify(before)) return;
  t.set({ capacity, capabilities });
  // The queue removes a changed worker from its rings.
  setWaitsAt(t, null);
}

function capabilitiesOf(kinds: readonly string[], abilities: Abilities, capacity: Capacity): Capabilities {
  return { ...abilities, kinds, ...capacity };
}

function takeOutput(t: Turn, event: Extract<MachineEvent, { kind: "text" | "progress" }>): void {
  const attempt = t.state.attempts.get(event.attemptId);
  if (attempt?.state.kind !== "running") return;
  if (event.kind === "text")
    t.setAttempt(event.attemptId, { text: pushText(attempt.text, event.text, event.data) });
  else t.setAttempt(event.attemptId, { progress: { ...attempt.progress, unsent: { view: event.view } } });
}
