import type { ActionCtx } from "../_generated/server.js";
import { abandon, type AskedJob, endOf, withJob } from "./askedJob.ts";
import { chunkBody, usageChunkBody } from "./completion.ts";
import { type Continuation, continueText, nothingSent, reconcile, startAgain } from "./continueText.ts";
import { type ApiError, diverged, errorBody, fromRefusal, internalError, waitIsOver } from "./errors.ts";
import { follow, type JobView } from "./follow.ts";
import { logBug } from "./logBug.ts";
import { cors } from "./respond.ts";

/** Proxies and clients drop a connection that says nothing for long. */
const keepAliveMs = 10_000;

/** The status line is held back this long: a job that fails at once still answers with its own status. */
const headersAfterMs = 3_000;

/** Streams a job's text as server-sent events, in OpenAI's chunks. */
export async function streamCompletion(
  ctx: ActionCtx,
  asked: AskedJob,
  includeUsage: boolean,
): Promise<Response> {
  const views = follow(ctx, asked);
  const heldUntil = Date.now() + headersAfterMs;
  let first = await views.next();
  while (first.done !== true && isSilent(first.value) && Date.now() < heldUntil) first = await views.next();
  const early = first.done === true ? null : endOf(first.value);
  if (early !== null) return withJob(early, asked.jobId);

  let gone = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      void pump(
        ctx,
        asked,
        includeUsage,
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
  includeUsage: boolean,
  first: JobView | null,
  views: AsyncGenerator<JobView, void>,
  sink: Sink,
): Promise<void> {
  try {
    const end = await sendText(asked, includeUsage, first, views, sink);
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
  includeUsage: boolean,
  first: JobView | null,
  views: AsyncGenerator<JobView, void>,
  sink: Sink,
): Promise<StreamEnd> {
  const { head } = asked;
  let state = nothingSent;
  let attempt: JobView["attemptId"] = null;
  let quietSince = Date.now();
  sink.send(event(chunkBody(head, { role: "assistant", content: "" }, null)));

  for (let view = first; view !== null; view = (await views.next()).value ?? null) {
    if (sink.gone()) return { kind: "gone" };
    if (view.attemptId !== attempt) {
      attempt = view.attemptId;
      state = startAgain(state);
    }
    const step: Continuation =
      view.result === null
        ? continueText(state, view.chunks.map((chunk) => chunk.text).join(""))
        : reconcile(state.sent, view.result.text);
    if (step.kind === "diverged") return { kind: "error", error: diverged };
    state = step.next;
    if (step.fresh !== "") {
      sink.send(event(chunkBody(head, { content: step.fresh }, null)));
      quietSince = Date.now();
    } else if (Date.now() - quietSince >= keepAliveMs) {
      sink.send(view.status === "queued" ? ": queued" : ": working");
      quietSince = Date.now();
    }
    if (view.result !== null) {
      const { toolCalls, logprobs, finishReason } = view.result;
      // What a job has beside its text is there when it ends.
      if (toolCalls !== undefined) sink.send(event(chunkBody(head, { toolCalls }, null)));
      if (logprobs !== undefined) sink.send(event(chunkBody(head, { content: "", logprobs }, null)));
      sink.send(event(chunkBody(head, {}, finishReason)));
      if (includeUsage) sink.send(event(usageChunkBody(head, view.result.usage)));
      sink.send("data: [DONE]");
      return { kind: "done" };
    }
    const error = endOf(view);
    if (error !== null) return { kind: "error", error };
  }
  return { kind: "gave-up" };
}
