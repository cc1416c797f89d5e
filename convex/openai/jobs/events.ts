import { isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequestView } from "../../model/requests/watch.ts";
import type { Caller } from "../endpoint.ts";
import { errorOf, tooManyWaiting } from "../errors.ts";
import { follow, type TextPosition } from "../follow.ts";
import { failureOf, outcomeOf } from "../outcome.ts";
import { cors, errorBody, errorResponse, jobHeaders } from "../respond.ts";
import { jobBody } from "./jobBody.ts";

/** An action ends after ten minutes. A reader then connects again, and goes on from its last event. */
const connectionMs = 9 * 60_000;

/** Proxies and clients drop a silent connection, so it gets a comment this often. */
const keepAliveMs = 10_000;

/**
 * GET /v1/jobs/ID/events. Server-sent events: `job` at first and whenever its status changes, `text` for each piece of its
 * text. The stream ends with the job. The id of an event is a place in the text: `Last-Event-ID` goes on after it. Any number
 * of readers may follow one job.
 */
export async function streamEvents(
  ctx: ActionCtx,
  request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  const job = await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId });
  const waiting = await outcomeOf(ctx.runQuery(internal.requests.mayWaitAdmitted, { keyId }));
  if (waiting.kind === "ok" && !waiting.value.allowed) return errorResponse(tooManyWaiting(waiting.value));
  // The text is stored in pieces only while somebody follows it.
  if (!isFinal(job.status)) await ctx.runMutation(internal.requests.follow, { keyId, jobId });
  const followed = { keyId, jobId, giveUpAt: Date.now() + connectionMs, stream: true };
  const views = follow(ctx, followed, positionOf(request.headers.get("last-event-id")));
  let gone = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (lines: string): void => {
        if (!gone) controller.enqueue(encoder.encode(`${lines}\n\n`));
      };
      const isOver = (): boolean => gone || request.signal.aborted;
      const read = async (): Promise<object> =>
        jobBody(await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId }));
      void sendEvents(views, read, send, isOver).finally(() => {
        if (!gone) controller.close();
      });
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
      ...jobHeaders(job),
    },
  });
}

/** Never rejects. */
async function sendEvents(
  views: AsyncGenerator<RequestView, void>,
  readJob: () => Promise<object>,
  send: (lines: string) => void,
  isOver: () => boolean,
): Promise<void> {
  let status: RequestView["status"] | null = null;
  let sentAt = Date.now();
  const sendEvent = (name: string, data: object, id?: string): void => {
    send(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}`);
    sentAt = Date.now();
  };
  try {
    for await (const view of views) {
      if (isOver()) return;
      for (const { seq, text } of view.chunks) {
        sendEvent("text", { attempt: view.attempt, text }, `${String(view.attemptId)}:${String(seq)}`);
      }
      if (view.status !== status) {
        status = view.status;
        sendEvent("job", await readJob());
      } else if (Date.now() - sentAt >= keepAliveMs) {
        send(`: ${status}`);
        sentAt = Date.now();
      }
    }
  } catch (thrown) {
    sendEvent("error", errorBody(errorOf(failureOf(thrown))));
  } finally {
    await views.return();
  }
}

/** The place that an event's id names. A wrong id begins at the start. */
function positionOf(id: string | null): TextPosition | null {
  const [, attemptId, seq] = /^([\w-]{1,64}):(\d{1,9})$/.exec(id ?? "") ?? [];
  return attemptId === undefined ? null : { attemptId, seq: Number(seq) };
}
