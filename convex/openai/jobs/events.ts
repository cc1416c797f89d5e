import { isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import type { Caller } from "../endpoint.ts";
import { errorOf } from "../errors.ts";
import { eventStream, keepAliveMs, namedEvent, type Sink } from "../eventStream.ts";
import { follow } from "../follow.ts";
import { failureOf } from "../outcome.ts";
import { refusedWait, waitLimitMs } from "../requestedJob.ts";
import { errorBody, errorResponse, jobHeaders } from "../respond.ts";
import { outlookEveryMs, queueHeaders } from "../wait/waiting.ts";
import { jobBody } from "./jobBody.ts";
import { JobText, pieceId, type ReaderStart, readerStart } from "./jobText.ts";

/**
 * GET /v1/jobs/ID/events. Server-sent events: `job` with each status and each new place in the queue, `text` with each piece of the text, and `restart` if the
 * text begins again. The job's last status comes last. The id of a piece is its place in the text: `Last-Event-ID` goes on
 * after it. Any number of readers may follow one job. A connection ends before the time of an action does.
 */
export async function streamEvents(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  jobId: string,
): Promise<Response> {
  const { keyId } = caller;
  const job = await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId });
  const full = await refusedWait(ctx, caller);
  if (full !== null) return errorResponse(full);
  const start = await readerStart(ctx, keyId, jobId, request.headers.get("last-event-id"));
  // The text is stored in pieces only while somebody follows it.
  if (!isFinal(job.status)) await ctx.runMutation(internal.requests.followAdmitted, { keyId, jobId });
  const { signal } = request;
  const headers = { ...jobHeaders(job), ...queueHeaders(job.outlook) };
  return eventStream(
    headers,
    signal,
    async (sink) => await sendEvents(ctx, keyId, job, { ...start, signal }, sink),
  );
}

type Start = ReaderStart & { readonly signal: AbortSignal | undefined };

/** Never rejects. */
async function sendEvents(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  job: RequesterJob,
  { from, said, restarts, signal }: Start,
  sink: Sink,
): Promise<void> {
  const { jobId } = job;
  let sentAt = Date.now();
  const send = (name: string, data: object, id?: string): void => {
    sink.send(namedEvent(name, data, id));
    sentAt = Date.now();
  };
  const readJob = async (): Promise<RequesterJob> =>
    await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId });
  const followed = { keyId, jobId, giveUpAt: Date.now() + waitLimitMs, stream: true };
  const views = follow(ctx, followed, { from, signal });
  let { status, outlook } = job;
  let outlookAt = Date.now();
  const text = new JobText({ from, said });
  try {
    if (!isFinal(status)) send("job", jobBody(job));
    if (restarts) send("restart", {});
    for await (const view of views) {
      if (sink.gone() || sink.stops()) return;
      for (const event of text.eventsOf(view)) {
        if (event.kind === "restart") send("restart", {});
        else send("text", { attempt: event.attempt, text: event.text }, pieceId(event.at));
      }
      if (view.status !== status && !isFinal(view.status)) {
        ({ status } = view);
        // The job may be a step further by now. The next view says so.
        const now = await readJob();
        if (now.status === status) send("job", jobBody(now));
      } else if (Date.now() - sentAt >= keepAliveMs) {
        const tells = view.status === "queued" && Date.now() - outlookAt >= outlookEveryMs;
        const now = tells ? await readJob() : null;
        if (now?.status === "queued" && JSON.stringify(now.outlook) !== JSON.stringify(outlook)) {
          send("job", jobBody(now));
          ({ outlook } = now);
        } else {
          sink.send(`: ${view.status}`);
          sentAt = Date.now();
        }
        if (tells) outlookAt = Date.now();
      }
    }
    const end = await readJob();
    if (isFinal(end.status)) send("job", jobBody(end));
  } catch (thrown) {
    send("error", errorBody(errorOf(failureOf(thrown))));
  } finally {
    await views.return();
  }
}
