import type { ActionCtx } from "../_generated/server.js";
import type { RequestView } from "../model/requests/watch.ts";
import { type AnswerHead, type TextForm, textOf } from "./answerForm.ts";
import { type Continuation, continueText, nothingSent, reconcile, startAgain } from "./continueText.ts";
import { diverged, endOf, errorOf, serverStops, waitIsOver } from "./errors.ts";
import { eventStream, keepAliveMs, type Sink } from "./eventStream.ts";
import { follow } from "./follow.ts";
import { failureOf } from "./outcome.ts";
import { abandon, type RequestedJob } from "./requestedJob.ts";
import { type ApiError, errorBody, jobErrorResponse, jobHeaders } from "./respond.ts";

/** The status line waits this long, so that a job that fails at once still gets its own status. */
const headersAfterMs = 3_000;

type StreamOptions = { readonly form: TextForm; readonly head: AnswerHead; readonly includeUsage: boolean };

/**
 * Streams a job's text as server-sent events, in OpenAI's chunks.
 * @param signal aborts when the server stops.
 */
export async function streamText(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal | undefined,
  options: StreamOptions,
): Promise<Response> {
  const views = follow(ctx, job);
  const heldUntil = Date.now() + headersAfterMs;
  let first = await views.next();
  while (first.done !== true && isSilent(first.value) && Date.now() < heldUntil && signal?.aborted !== true)
    first = await views.next();
  const early = first.done === true ? null : endOf(first.value, job.promptField);
  if (early !== null) {
    await views.return();
    return jobErrorResponse(early, job.jobId);
  }

  return eventStream(
    jobHeaders(job),
    signal,
    async (sink) => await pump(ctx, job, options, first.value ?? null, views, sink),
  );
}

function isSilent(view: RequestView): boolean {
  return (view.status === "queued" || view.status === "running") && view.chunks.length === 0;
}

/** Never rejects. */
async function pump(
  ctx: ActionCtx,
  job: RequestedJob,
  options: StreamOptions,
  first: RequestView | null,
  views: AsyncGenerator<RequestView, void>,
  sink: Sink,
): Promise<void> {
  try {
    const end = await sendText(job, options, first, views, sink);
    if (end.kind === "gave-up") sink.send(event(errorBody(waitIsOver(job.jobId, job.kept))));
    if (end.kind === "error") sink.send(event(errorBody(end.error)));
    if (end.kind !== "done") await abandon(ctx, job);
  } catch (thrown) {
    sink.send(event(errorBody(errorOf(failureOf(thrown)))));
    await abandon(ctx, job);
  } finally {
    await views.return();
  }
}

const event = (body: object): string => `data: ${JSON.stringify(body)}`;

type StreamEnd =
  | { readonly kind: "done" }
  | { readonly kind: "error"; readonly error: ApiError }
  /** The client has disconnected. */
  | { readonly kind: "gone" }
  /** The wait is over. */
  | { readonly kind: "gave-up" };

async function sendText(
  job: RequestedJob,
  options: StreamOptions,
  first: RequestView | null,
  views: AsyncGenerator<RequestView, void>,
  sink: Sink,
): Promise<StreamEnd> {
  const { form, head, includeUsage } = options;
  const opening = form.opening(head);
  // As in OpenAI's API: if the usage comes at the end, each earlier chunk says that it has none.
  const chunkOf = (body: object): string => event(includeUsage ? { ...body, usage: null } : body);
  let state = nothingSent;
  let attempt: RequestView["attemptId"] = null;
  let quietSince = Date.now();
  if (opening !== null) sink.send(chunkOf(opening));

  for (let view = first; view !== null; view = (await views.next()).value ?? null) {
    if (sink.gone()) return { kind: "gone" };
    if (view.attemptId !== attempt) {
      attempt = view.attemptId;
      state = startAgain(state);
    }
    const result = view.result === null ? null : textOf(view.result);
    const step: Continuation =
      result === null
        ? continueText(state, view.chunks.map((chunk) => chunk.text).join(""))
        : reconcile(state.sent, result.text);
    if (step.kind === "diverged") return { kind: "error", error: diverged };
    state = step.next;
    if (step.fresh !== "") {
      sink.send(chunkOf(form.text(head, step.fresh)));
      quietSince = Date.now();
    } else if (Date.now() - quietSince >= keepAliveMs) {
      sink.send(view.status === "queued" ? ": queued" : ": working");
      quietSince = Date.now();
    }
    if (result !== null) {
      for (const chunk of form.closing(head, result)) sink.send(chunkOf(chunk));
      if (includeUsage) sink.send(event(form.usage(head, result.usage)));
      sink.send("data: [DONE]");
      return { kind: "done" };
    }
    const error = endOf(view, job.promptField);
    if (error !== null) return { kind: "error", error };
    if (sink.stops()) return { kind: "error", error: serverStops(job.kept) };
  }
  return { kind: "gave-up" };
}
