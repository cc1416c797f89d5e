import { noFailures } from "../contract/back-off.ts";
import type { ClaimOutcome, TakeOutcome } from "../contract/protocol.ts";
import { adopt, onAttempt, receive, refuseResult } from "./attempts.ts";
import { countIdle, demandOf, maxHeld } from "./capacity.ts";
import { greeted, helloFailed } from "./handshake.ts";
import { recheckHeld } from "./held.ts";
import { appendFailed, progressFailed } from "./output.ts";
import type { Call, CallFailure, MachineEvent, SentCall } from "./state.ts";
import { isJobRequest, type Turn } from "./turn.ts";
import { backOff, retryTriedLater } from "./waiting.ts";

type Answered = Extract<MachineEvent, { kind: "answered" }>;

/** The pauses before a failed ending call is sent again, in ms. After a reconnect the client itself sends again. */
const retryDelaysMs = [500, 1_000, 2_000];

export function onAnswer(t: Turn, event: Answered): void {
  const call = t.endCall(event.id);
  if (call === undefined) return;
  if (isJobRequest(event) || event.name === "claim") t.set({ compareHeld: true });
  switch (event.name) {
    case "hello":
      greeted(t, call, event.answer.leaseMs);
      return;
    case "take":
      taken(t, event.answer, event.args.demand.jobs, event.random);
      return;
    case "claim":
      claimed(t, event.answer, event.args, event.random);
      return;
    case "append":
    case "progress":
      if (event.answer.kind === "fenced") onAttempt(t, event.args.attemptId, { kind: "gone" });
      return;
    case "complete":
    case "fail": {
      const { attemptId, demand } = event.args;
      const { kind: outcome } = event.answer;
      receive(t, event.answer, demand.jobs);
      if (event.answer.kind === "refused")
        t.log("warn", "attempt.refused", { attemptId, why: event.answer.why });
      else if (event.name === "complete") t.log("info", "attempt.completed", { attemptId, outcome });
      else t.log("warn", "attempt.failed", { attemptId, code: event.args.error.code, outcome });
      onAttempt(t, attemptId, { kind: "answered" });
      return;
    }
    case "release":
      released(t, event.args, event.answer.fenced);
      return;
    case "start":
      for (const attemptId of event.answer.fenced) onAttempt(t, attemptId, { kind: "gone" });
      return;
    case "goodbye":
      t.set({ stop: { kind: "over" } });
      return;
    default:
      // The answer of any other call changes nothing.
      return;
  }
}

export function onFailure(t: Turn, id: number, failure: CallFailure, random: number): void {
  const call = t.endCall(id);
  if (call === undefined) return;
  if (failure.kind === "unknown-key") forgetKey(t);
  if (isJobRequest(call) || call.name === "claim") t.set({ compareHeld: true });
  if (!retryLater(t, call, failure)) failed(t, call, failure, random);
}

/** The queue does not know the key: the worker asks for nothing until it is started again. */
export function forgetKey(t: Turn): void {
  if (t.state.keyUnknown) return;
  t.set({ keyUnknown: true });
  t.log("error", "worker.unknown-key");
  t.tell({ kind: "unknown-key" });
}

/** Sends failed calls again when they are due. A job request then has the present demand. */
export function sendRetries(t: Turn): void {
  const due = t.state.retries.filter(({ at }) => t.due(at));
  if (due.length === 0) return;
  t.set({ retries: t.state.retries.filter((retry) => !due.includes(retry)) });
  for (const { call, failures } of due) {
    const args = isJobRequest(call) ? { ...call.args, demand: demandOf(t) } : call.args;
    t.call({ name: call.name, args } as Call, failures);
  }
}

/** Plans a retry if the backend may only be overloaded or restarting. */
function retryLater(t: Turn, sent: SentCall, { kind }: CallFailure): boolean {
  const isRetried = ["complete", "fail", "release", "start", "leave"].includes(sent.name);
  const delayMs = retryDelaysMs[sent.failures];
  if (!isRetried || kind !== "broken" || delayMs === undefined) return false;
  const { id: _id, generation: _generation, failures, ...call } = sent;
  t.set({ retries: [...t.state.retries, { call, failures: failures + 1, at: t.now + delayMs }] });
  return true;
}

/** A call failed for good. */
function failed(t: Turn, call: SentCall, failure: CallFailure, random: number): void {
  const { error } = failure;
  switch (call.name) {
    case "hello":
      helloFailed(t, call, failure, random);
      return;
    case "take":
      t.log("warn", "take.refused", { error });
      backOff(t, random);
      return;
    case "claim":
      t.log("warn", "claim.refused", { error });
      retryTriedLater(t);
      backOff(t, random);
      return;
    case "progress":
      progressFailed(t, call.args.attemptId, error);
      return;
    case "complete":
      // Refused because of the result itself, such as its size.
      if (failure.kind === "refused")
        refuseResult(t, call.args.attemptId, "The queue refused the worker's result.");
      else notTaken(t, call.name, call.args.attemptId, error);
      return;
    case "fail":
      notTaken(t, call.name, call.args.attemptId, error);
      return;
    case "release":
      for (const attemptId of call.args.attemptIds) notTaken(t, call.name, attemptId, error);
      return;
    case "goodbye":
      t.log("warn", "goodbye.failed", { error });
      t.set({ stop: { kind: "over" } });
      return;
    case "append":
      appendFailed(t, call.args.attemptId, error);
      return;
    default:
      t.log("warn", `${call.name}.refused`, { error });
  }
}

/** The queue did not accept the end of an attempt. If it still lists the attempt in `held`, the attempt is given back. */
function notTaken(t: Turn, call: string, attemptId: string, error: string): void {
  if (t.state.attempts.has(attemptId)) recheckHeld(t, attemptId);
  t.log("error", "attempt.call-refused", { attemptId, call, error });
  onAttempt(t, attemptId, { kind: "answered" });
}

function taken(t: Turn, outcome: TakeOutcome, requested: number, random: number): void {
  t.log("debug", "take.answered", { outcome: outcome.kind });
  if (outcome.kind === "ok") receive(t, outcome, requested);
  else if (outcome.reason === "full") {
    t.set({ mostHeld: outcome.mostHeld ?? maxHeld });
    // The queue may count jobs that are unknown to this worker.
    recheckHeld(t);
  }
  // A busy worker that finds nothing to prefetch asks again at the end of a job.
  const foundNothing =
    outcome.kind === "ok" &&
    outcome.jobs.length + outcome.subscriptions.length === 0 &&
    countIdle(t.state) > 0;
  if (outcome.kind === "unable" || foundNothing) backOff(t, random);
  else t.set({ requestRetry: noFailures });
}

function claimed(
  t: Turn,
  outcome: ClaimOutcome,
  { jobId, late }: { readonly jobId: string; readonly late: boolean },
  random: number,
): void {
  t.log("debug", "claim.answered", { outcome: outcome.kind, late });
  if (outcome.kind === "unable") backOff(t, random);
  else t.set({ requestRetry: noFailures });
  if (outcome.kind !== "claimed") {
    retryTriedLater(t);
    return;
  }
  const { job, subscriptions, cursor } = outcome;
  const tried = new Set(t.state.tried);
  // The job may come back: after a failure, a release, a lost lease.
  tried.delete(jobId);
  t.set({ tried, cursor, waitsAt: subscriptions.length > 0 ? subscriptions : null });
  adopt(t, job);
}

function released(
  t: Turn,
  { attemptIds, reason }: { readonly attemptIds: readonly string[]; readonly reason: string },
  fenced: readonly string[],
): void {
  for (const attemptId of attemptIds) {
    const outcome = fenced.includes(attemptId) ? "fenced" : "ok";
    if (t.state.attempts.has(attemptId)) t.log("info", "attempt.released", { attemptId, reason, outcome });
    onAttempt(t, attemptId, { kind: "answered" });
  }
}
