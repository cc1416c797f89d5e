import { convexToJson, type Value } from "convex/values";
import { assertNever } from "../../shared/assert-never.ts";
import type { AttemptError, ClaimedJob, NextWork } from "../contract/protocol.ts";
import { type AttemptEffect, type AttemptEvent, transition } from "./attempt-machine.ts";
import { countHandlers, demandOf, maxHeld } from "./capacity.ts";
import { addOwn } from "./held-rows.ts";
import { sendRestOfText } from "./output.ts";
import { giveBack, reportStarts } from "./releases.ts";
import type { Attempt, HandlerEnd } from "./state.ts";
import { newTextStream } from "./text-stream.ts";
import type { Turn } from "./turn.ts";
import { setWaitsAt } from "./waiting.ts";

/** Takes in the jobs, the waiting positions and the limit of an answer. @param requested how many jobs the call asked for. */
export function receive(
  t: Turn,
  { jobs, subscriptions, cursor, mostHeld = maxHeld }: NextWork,
  requested: number,
): void {
  t.set({ cursor, mostHeld });
  for (const job of jobs) adopt(t, job);
  // A worker that found all the jobs it asked for waits nowhere.
  if (requested > 0) setWaitsAt(t, subscriptions.length === 0 ? null : subscriptions);
}

/** Takes in a job that the queue gave to this worker. @param handed it came by the query `handed`. */
export function adopt(t: Turn, job: ClaimedJob, handed = false): void {
  const { attemptId, kind, requirements, begun, watched } = job;
  const { attempts, foreign, mode } = t.state;
  if (attempts.has(attemptId)) return;
  const attempt: Attempt = {
    job,
    handed,
    state: { kind: "waiting" },
    since: t.now,
    reportStartAt: null,
    text: newTextStream(watched),
    progress: { unsent: null, sent: "", sendAt: null },
    report: undefined,
  };
  t.set({ attempts: new Map(attempts).set(attemptId, attempt), foreign: addOwn(foreign, attemptId) });
  if (handed) t.set({ askAheadAt: Infinity });
  t.log("info", "attempt.claimed", { attemptId, kind, model: requirements.model ?? null, begun });
  // The job was on its way when the worker was told to take no more.
  const reason = mode.kind === "paused" ? mode.reason : "shutdown";
  if (mode.kind !== "accepting") onAttempt(t, attemptId, { kind: "yield", reason });
  else if (begun) onAttempt(t, attemptId, { kind: "begin" });
}

export function handlerEnded(t: Turn, attemptId: string, end: HandlerEnd): void {
  if (end.kind === "done") t.setAttempt(attemptId, { report: end.report });
  onAttempt(t, attemptId, end);
}

/** Aborts all handlers, and gives the jobs back. */
export function yieldAll(t: Turn, reason: string): void {
  for (const attemptId of t.state.attempts.keys()) onAttempt(t, attemptId, { kind: "yield", reason });
}

/** Gives back the jobs that have not begun. */
export function yieldWaiting(t: Turn, reason: string): void {
  for (const attemptId of waiting(t)) onAttempt(t, attemptId, { kind: "yield", reason });
}

/** Begins waiting jobs while handlers are free, and reports that. Handed jobs are reported later, if they last. */
export function beginJobs(t: Turn): void {
  const begun = beginWaiting(t);
  const handed = begun.filter((attemptId) => t.state.attempts.get(attemptId)?.handed);
  const reportStartAt = t.now + t.state.times.startAfterMs;
  for (const attemptId of handed) t.setAttempt(attemptId, { reportStartAt });
  reportStarts(
    t,
    begun.filter((attemptId) => !handed.includes(attemptId)),
  );
}

export function onAttempt(t: Turn, attemptId: string, event: AttemptEvent): void {
  const attempt = t.state.attempts.get(attemptId);
  if (attempt === undefined) return;
  const { next, effect } = transition(attempt.state, event);
  t.setAttempt(attemptId, { state: next });
  if (effect !== null) perform(t, attemptId, effect);
  if (next.kind !== "ended") return;
  const attempts = new Map(t.state.attempts);
  attempts.delete(attemptId);
  t.set({ attempts });
}

function perform(t: Turn, attemptId: string, effect: AttemptEffect): void {
  switch (effect.kind) {
    case "run": {
      const attempt = t.state.attempts.get(attemptId);
      if (attempt !== undefined) t.effect({ kind: "run", job: attempt.job });
      return;
    }
    case "abort":
      t.effect({ kind: "abort", attemptId });
      return;
    case "complete":
      complete(t, attemptId, effect.result);
      return;
    case "fail":
      fail(t, attemptId, effect.error);
      return;
    case "release":
      giveBack(t, attemptId, effect.reason);
      return;
    default:
      assertNever(effect);
  }
}

function complete(t: Turn, attemptId: string, result: Value): void {
  sendRestOfText(t, attemptId);
  const report = t.state.attempts.get(attemptId)?.report;
  if (!isConvexValue(result) || (report !== undefined && !isConvexValue(report))) {
    refuseResult(t, attemptId, "The worker's result is not a value that Convex can store.");
    return;
  }
  const starts = beginWaiting(t);
  const args = {
    attemptId,
    result,
    starts,
    demand: demandOf(t),
    ...(report === undefined ? {} : { report }),
  };
  t.call({ name: "complete", args });
}

/** Fails a job for good because of its result: another attempt would give the same. */
export function refuseResult(t: Turn, attemptId: string, message: string): void {
  fail(t, attemptId, { code: "result_refused", message, retryable: false });
}

function fail(t: Turn, attemptId: string, error: AttemptError): void {
  const starts = beginWaiting(t);
  t.call({ name: "fail", args: { attemptId, error, starts, demand: demandOf(t) } });
}

/** Begins waiting jobs while handlers are free. @returns their attempts, which have to be reported. */
function beginWaiting(t: Turn): readonly string[] {
  const { mode, holdNewJobs, capacity } = t.state;
  if (mode.kind !== "accepting" || holdNewJobs) return [];
  const begun = waiting(t).slice(0, Math.max(0, capacity.concurrency - countHandlers(t.state)));
  for (const attemptId of begun) onAttempt(t, attemptId, { kind: "begin" });
  return begun;
}

function waiting(t: Turn): readonly string[] {
  return [...t.state.attempts].filter(([, { state }]) => state.kind === "waiting").map(([id]) => id);
}

function isConvexValue(value: Value): boolean {
  try {
    convexToJson(value);
    return true;
  } catch {
    return false;
  }
}
