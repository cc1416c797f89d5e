import { convexToJson } from "convex/values";
import type { Attempt } from "./state.ts";
import { closeStream, hasUnsent, nextChunk, nextChunkAt } from "./text-stream.ts";
import type { Turn } from "./turn.ts";

/** The pause after a failed report of progress, in multiples of `progressEveryMs`. */
const pauseAfterFailure = 30;

/** Sends text and progress of running attempts, as often as the times allow, one call at a time for each. */
export function sendOutput(t: Turn): void {
  for (const [attemptId, attempt] of t.state.attempts) {
    if (attempt.state.kind !== "running") continue;
    sendText(t, attemptId, attempt);
    sendProgress(t, attemptId, attempt);
  }
}

/** Sends the rest of a watched text, so that readers get it before the result. */
export function sendRestOfText(t: Turn, attemptId: string): void {
  while (sendChunk(t, attemptId));
}

/** A chunk is missing, as when the queue is of an earlier version and does not know its data. No other follows it. */
export function appendFailed(t: Turn, attemptId: string, error: string): void {
  const attempt = t.state.attempts.get(attemptId);
  if (attempt === undefined || attempt.text.closed) return;
  t.log("warn", "attempt.stream-closed", { attemptId, error });
  t.setAttempt(attemptId, { text: closeStream(attempt.text) });
}

/** A failed report is not repeated: the next one replaces it. */
export function progressFailed(t: Turn, attemptId: string, error: string): void {
  t.log("warn", "attempt.progress-refused", { attemptId, error });
  planProgress(t, attemptId, pauseAfterFailure * t.state.times.progressEveryMs);
}

function sendText(t: Turn, attemptId: string, { text }: Attempt): void {
  if (!hasUnsent(text) || isUnanswered(t, "append", attemptId)) return;
  const sendAt = text.sendAt ?? nextChunkAt(text, t.now, t.state.times);
  const isDue = t.due(sendAt);
  t.setAttempt(attemptId, { text: { ...text, sendAt: isDue ? null : sendAt } });
  if (isDue) sendChunk(t, attemptId);
}

function sendChunk(t: Turn, attemptId: string): boolean {
  const stream = t.state.attempts.get(attemptId)?.text;
  if (stream === undefined || !hasUnsent(stream)) return false;
  const { rest, ...chunk } = nextChunk(stream, t.now);
  t.setAttempt(attemptId, { text: rest });
  t.call({ name: "append", args: { attemptId, ...chunk } });
  return true;
}

/** Sends the last view of each interval, if it changed. A job that ends within the first interval costs no call. */
function sendProgress(t: Turn, attemptId: string, { progress }: Attempt): void {
  const { unsent, sent, sendAt } = progress;
  if (sendAt === null) {
    if (unsent !== null && !isUnanswered(t, "progress", attemptId))
      planProgress(t, attemptId, t.state.times.progressEveryMs);
    return;
  }
  if (!t.due(sendAt)) return;
  const json = unsent === null ? sent : jsonOf(unsent.view);
  t.setAttempt(attemptId, { progress: { unsent: null, sent: json ?? sent, sendAt: null } });
  if (json === null) progressFailed(t, attemptId, "NotAConvexValue");
  else if (unsent !== null && json !== sent)
    t.call({ name: "progress", args: { attemptId, view: unsent.view } });
}

function planProgress(t: Turn, attemptId: string, ms: number): void {
  const progress = t.state.attempts.get(attemptId)?.progress;
  if (progress === undefined) return;
  t.setAttempt(attemptId, { progress: { ...progress, sendAt: t.now + ms } });
  t.due(t.now + ms);
}

function isUnanswered(t: Turn, name: "append" | "progress", attemptId: string): boolean {
  return t.state.calls.some((call) => call.name === name && call.args.attemptId === attemptId);
}

/** Null: Convex cannot keep this value. */
function jsonOf(value: Parameters<typeof convexToJson>[0]): string | null {
  try {
    return JSON.stringify(convexToJson(value));
  } catch {
    return null;
  }
}
