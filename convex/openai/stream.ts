import type { TokenChoice } from "../../app/jobs/sampling.ts";
import type { ActionCtx } from "../_generated/server.js";
import type { RequestView } from "../model/requests/watch.ts";
import { textOf, type TextResult } from "./answerForm.ts";
import {
  type CallPart,
  conclude,
  type Continuation,
  continueAnswer,
  type Fresh,
  nothingSent,
  startAgain,
  type Streamed,
} from "./continueAnswer.ts";
import { diverged, endOf, errorOf, serverStops } from "./errors.ts";
import { eventStream, keepAliveMs, serverSentEvents, type Sink, type StreamForm } from "./eventStream.ts";
import { endOfWait, follow } from "./follow.ts";
import { failureOf } from "./outcome.ts";
import { abandon, idsOf, type RequestedJob } from "./requestedJob.ts";
import { type AnswerCost, type ApiError, jobErrorResponse, jobHeaders } from "./respond.ts";
import { abortsWith } from "./wait/abortsWith.ts";
import { callWait } from "./wait/callWait.ts";
import { outlookEveryMs, waitingOf } from "./wait/waiting.ts";

/** The status line waits this long, so that a job that fails at once still gets its own status. */
const headersAfterMs = 3_000;

/** The events in which a call streams a text. Each method gives the next ones, as lines. */
export type TextEvents = {
  /** Server-sent events if it is missing. */
  readonly form?: StreamForm;
  /** Sent before any text. */
  readonly opening: () => readonly string[];
  /** A piece of the text. `logprobs`: those of its tokens, if they are known yet. */
  readonly text: (piece: string, logprobs: readonly TokenChoice[]) => readonly string[];
  /** A part of a tool call. All text comes before. */
  readonly call: (part: CallPart) => readonly string[];
  /** Sent at the end, after all parts: the finish reason, the usage, the cost. */
  readonly closing: (result: TextResult, cost: AnswerCost) => readonly string[];
  readonly error: (error: ApiError) => readonly string[];
};

/**
 * Streams a job's text as events.
 * @param signal aborts when the server stops.
 */
export async function streamText(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal | undefined,
  events: TextEvents,
): Promise<Response> {
  const views = follow(ctx, job, { signal });
  const heldUntil = Date.now() + headersAfterMs;
  let first = await views.next();
  while (first.done !== true && isSilent(first.value) && Date.now() < heldUntil && signal?.aborted !== true)
    first = await views.next();
  const early = first.done === true ? null : endOf(first.value, job.promptField);
  if (early !== null) {
    await views.return();
    return jobErrorResponse(early, job.jobId);
  }

  const waiting = first.value?.status === "queued" ? await waitingOf(ctx, job) : null;
  return eventStream(
    { ...jobHeaders(job), ...waiting?.headers },
    signal,
    async (sink) => await pump(ctx, job, events, () => Promise.resolve(first.value ?? null), views, sink),
    events.form,
  );
}

/** A comment that keeps a silent connection, for people who watch it. */
async function queuedComment(ctx: ActionCtx, job: RequestedJob): Promise<string> {
  const { short } = await waitingOf(ctx, job);
  return short === "" ? ": queued" : `: queued, ${short}`;
}

function isSilent(view: RequestView): boolean {
  return (view.status === "queued" || view.status === "running") && view.chunks.length === 0;
}

/**
 * Streams the texts of several jobs as the events of one answer. If one of them fails, the others are abandoned. Its headers tell how the
 * last one waits, behind the others.
 */
export async function streamTexts(
  ctx: ActionCtx,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  signal: AbortSignal | undefined,
  eventsOf: (index: number) => TextEvents,
): Promise<Response> {
  const { headers: waiting } = await waitingOf(ctx, jobs.at(-1) ?? jobs[0]);
  const headers = { ...jobHeaders({ ...jobs[0], jobId: idsOf(jobs) }), ...waiting };
  return eventStream(headers, signal, async (sink) => {
    let isFailed = false;
    const over = abortsWith(signal);
    const wait = callWait(ctx, jobs[0]);
    const shared = { ...sink, gone: () => isFailed || sink.gone() };
    const pumpOne = async (job: RequestedJob, index: number): Promise<void> => {
      const events = eventsOf(index);
      const error = (why: ApiError): readonly string[] => {
        if (isFailed) return [];
        isFailed = true;
        over.abort();
        return events.error(why);
      };
      const views = follow(ctx, job, { signal: over.signal, callWait: wait });
      const first = async () => (await views.next()).value ?? null;
      await pump(ctx, job, { ...events, error }, first, views, shared);
    };
    await Promise.all(jobs.map(pumpOne));
    await wait.end();
  });
}

/** Never rejects. */
async function pump(
  ctx: ActionCtx,
  job: RequestedJob,
  events: TextEvents,
  first: () => Promise<RequestView | null>,
  views: AsyncGenerator<RequestView, void>,
  sink: Sink,
): Promise<void> {
  const sendError = (error: ApiError): void => sendAll(sink, events.error(error));
  try {
    const end = await sendText(ctx, job, events, await first(), views, sink);
    if (end.kind === "gave-up") sendError(await endOfWait(ctx, job, undefined));
    if (end.kind === "error") sendError(end.error);
    if (end.kind !== "done") await abandon(ctx, job);
  } catch (thrown) {
    sendError(errorOf(failureOf(thrown)));
    await abandon(ctx, job);
  } finally {
    await views.return();
  }
}

function sendAll(sink: Sink, events: readonly string[]): void {
  for (const event of events) sink.send(event);
}

function partsOf({ text, logprobs = [], toolCalls = [] }: TextResult): Streamed {
  return { text, logprobs, calls: toolCalls };
}

/** The events of an answer that is there as a whole. */
export function eventsOfWhole(events: TextEvents, result: TextResult, cost: AnswerCost): readonly string[] {
  const whole = conclude(nothingSent.sent, partsOf(result));
  if (whole.kind === "diverged") throw new Error("an answer differs from nothing");
  return [...events.opening(), ...eventsOfParts(events, whole.fresh), ...events.closing(result, cost)];
}

function eventsOfParts(events: TextEvents, { text, logprobs, calls }: Fresh): readonly string[] {
  const ofText = text === "" && logprobs.length === 0 ? [] : events.text(text, logprobs);
  return [...ofText, ...calls.flatMap((part) => events.call(part))];
}

type StreamEnd =
  | { readonly kind: "done" }
  | { readonly kind: "error"; readonly error: ApiError }
  /** The client has disconnected. */
  | { readonly kind: "gone" }
  /** The wait is over. */
  | { readonly kind: "gave-up" };

async function sendText(
  ctx: ActionCtx,
  job: RequestedJob,
  events: TextEvents,
  first: RequestView | null,
  views: AsyncGenerator<RequestView, void>,
  sink: Sink,
): Promise<StreamEnd> {
  let state = nothingSent;
  let attempt: RequestView["attemptId"] = null;
  let quietSince = Date.now();
  let toldAt = -Infinity;
  const { keepAlive } = events.form ?? serverSentEvents;
  sendAll(sink, events.opening());

  for (let view = first; view !== null; view = (await views.next()).value ?? null) {
    if (sink.gone()) return { kind: "gone" };
    if (view.attemptId !== attempt) {
      attempt = view.attemptId;
      state = startAgain(state);
    }
    const result = view.result === null ? null : textOf(view.result);
    const step: Continuation =
      result === null ? continueAnswer(state, view.chunks) : conclude(state.sent, partsOf(result));
    if (step.kind === "diverged") return { kind: "error", error: diverged };
    state = step.next;
    const { text, calls } = step.fresh;
    sendAll(sink, eventsOfParts(events, step.fresh));
    if (text !== "" || calls.length > 0) {
      quietSince = Date.now();
    } else if (Date.now() - quietSince >= keepAliveMs) {
      const isQueued = view.status === "queued";
      // Only comments have room for words.
      const tells = isQueued && events.form === undefined && Date.now() - toldAt >= outlookEveryMs;
      sink.send(tells ? await queuedComment(ctx, job) : keepAlive(isQueued ? "queued" : "working"));
      quietSince = Date.now();
      if (tells) toldAt = quietSince;
    }
    if (result !== null) {
      sendAll(sink, events.closing(result, view));
      return { kind: "done" };
    }
    const error = endOf(view, job.promptField);
    if (error !== null) return { kind: "error", error };
    if (sink.stops()) return { kind: "error", error: serverStops(job.kept) };
  }
  return { kind: "gave-up" };
}
