import type { ActionCtx } from "../_generated/server.js";
import type { AnswerHead, TextForm } from "./answerForm.ts";
import { textOf } from "./answerOf.ts";
import { abandon, type AskedJob, endOf, withJob } from "./requestedJob.ts";
import { type Continuation, continueText, nothingSent, reconcile, startAgain } from "./continueText.ts";
import { type ApiError, diverged, errorBody, fromRefusal, internalError, waitIsOver } from "./errors.ts";
import { follow, type JobView } from "./follow.ts";
import { logBug } from "./outcome.ts";
import { cors } from "./respond.ts";

/** Proxies and clients drop a connection that says nothing for long. */
const keepAliveMs = 10_000;

/** The status line is held back this long: a job that fails at once still answers with its own status. */
const headersAfterMs = 3_000;

/** How a stream is worded. */
type Wording = { readonly form: TextForm; readonly head: AnswerHead; readonly includeUsage: boolean };

/** Streams a job's text as server-sent events, in OpenAI's chunks. */
export async function streamText(ctx: ActionCtx, asked: AskedJob, wording: Wording): Promise<Response> {
  const views = follow(ctx, asked);
  const heldUntil = Date.now() + headersAfterMs;
  let first = await views.next();
  while (first.done !== true && isSilent(first.value) && Date.now() < heldUntil) first = await views.next();
  const early = first.done === true ? null : endOf(first.value, asked.promptField);
  if (early !== null) return withJob(early, asked.jobId);

  let gone = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      void pump(
        ctx,
        asked,
        wording,
        first.value ?? null,
        views,
        makeSink(controller, () => gone),
      );
    },
    cancel() {
      gone = true;
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...cors,
      "x-gleaner-job": asked.jobId,
    },
  });
}

function isSilent(view: JobView): boolean {
  return (view.status === "queued" || view.status === "running") && view.chunks.length === 0;
}

type Sink = {
  /** Whether the client has gone: the pump, which holds the call's context, draws the conclusion. */
  readonly gone: () => boolean;
  readonly send: (line: string) => void;
  readonly close: () => void;
};

function makeSink(controller: ReadableStreamDefaultController<Uint8Array>, gone: () => boolean): Sink {
  const encoder = new TextEncoder();
  return {
    gone,
    send(line) {
      if (!gone()) controller.enqueue(encoder.encode(`${line}\n\n`));
    },
    close() {
      if (!gone()) controller.close();
    },
  };
}

async function pump(
  ctx: ActionCtx,
  asked: AskedJob,
  wording: Wording,
  first: JobView | null,
  views: AsyncGenerator<JobView, void>,
  sink: Sink,
): Promise<void> {
  try {
    const end = await sendText(asked, wording, first, views, sink);
    if (end.kind === "gave-up") sink.send(event(errorBody(waitIsOver(asked.jobId, asked.kept))));
    if (end.kind === "error") sink.send(event(errorBody(end.error)));
    if (end.kind !== "done") await abandon(ctx, asked);
  } catch (thrown) {
    const refusal = fromRefusal(thrown);
    if (refusal === null) logBug("a stream failed", thrown);
    sink.send(event(errorBody(refusal ?? internalError)));
    await abandon(ctx, asked);
  } finally {
    sink.close();
  }
}

const event = (body: object): string => `data: ${JSON.stringify(body)}`;

type StreamEnd =
  | { readonly kind: "done" }
  | { readonly kind: "error"; readonly error: ApiError }
  /** The client went. */
  | { readonly kind: "gone" }
  /** The wait is over. */
  | { readonly kind: "gave-up" };

async function sendText(
  asked: AskedJob,
  wording: Wording,
  first: JobView | null,
  views: AsyncGenerator<JobView, void>,
  sink: Sink,
): Promise<StreamEnd> {
  const { form, head, includeUsage } = wording;
  const opening = form.opening(head);
  let state = nothingSent;
  let attempt: JobView["attemptId"] = null;
  let quietSince = Date.now();
  if (opening !== null) sink.send(event(opening));

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
      sink.send(event(form.text(head, step.fresh)));
      quietSince = Date.now();
    } else if (Date.now() - quietSince >= keepAliveMs) {
      sink.send(view.status === "queued" ? ": queued" : ": working");
      quietSince = Date.now();
    }
    if (result !== null) {
      for (const chunk of form.closing(head, result)) sink.send(event(chunk));
      if (includeUsage) sink.send(event(form.usage(head, result.usage)));
      sink.send("data: [DONE]");
      return { kind: "done" };
    }
    const error = endOf(view, asked.promptField);
    if (error !== null) return { kind: "error", error };
  }
  return { kind: "gave-up" };
}
