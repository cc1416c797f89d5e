import { isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import type { Caller } from "../endpoint.ts";
import { errorOf } from "../errors.ts";
import { eventStream, keepAliveMs, type Sink } from "../eventStream.ts";
import { follow, type TextPosition } from "../follow.ts";
import { failureOf } from "../outcome.ts";
import { refusedWait, waitLimitMs } from "../requestedJob.ts";
import { errorBody, errorResponse, jobHeaders } from "../respond.ts";
import { jobBody } from "./jobBody.ts";
import { outlookEveryMs, queueHeaders } from "./waiting.ts";

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
  const asked = positionOf(request.headers.get("last-event-id"));
  const stored = asked === null ? null : await textUntil(ctx, keyId, jobId, asked);
  // The text is stored in pieces only while somebody follows it.
  if (!isFinal(job.status)) await ctx.runMutation(internal.requests.followAdmitted, { keyId, jobId });
  const { signal } = request;
  const start = {
    ...(stored ?? { from: null, said: "" }),
    restarts: asked !== null && stored === null,
    signal,
  };
  const headers = { ...jobHeaders(job), ...queueHeaders(job.outlook) };
  return eventStream(headers, signal, async (sink) => await sendEvents(ctx, keyId, job, start, sink));
}

/** The place at which a reader begins. `said`: the text that it has; null if that is too long to be read at once. */
type TextStart = { readonly from: TextPosition | null; readonly said: string | null };

/**
 * The text until a piece. Null: the piece is not there. Pieces are deleted when nobody follows a job any more, and later ones begin
 * with the start of the text again.
 */
async function textUntil(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  jobId: string,
  from: TextPosition,
): Promise<TextStart | null> {
  const view = await ctx.runQuery(internal.requests.watchAdmitted, { keyId, jobId });
  const pieces = view.chunks.filter(({ seq }) => seq <= from.seq);
  if (view.attemptId !== from.attemptId || pieces.length === 0) return null;
  const isWhole = pieces.at(-1)?.seq === from.seq;
  return { from, said: isWhole ? pieces.map(({ text }) => text).join("") : null };
}

type Start = TextStart & {
  readonly restarts: boolean;
  readonly signal: AbortSignal | undefined;
};

/** Never rejects. */
async function sendEvents(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  job: RequesterJob,
  { from, said: before, restarts, signal }: Start,
  sink: Sink,
): Promise<void> {
  const { jobId } = job;
  let sentAt = Date.now();
  const send = (name: string, data: object, id?: string): void => {
    sink.send(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}`);
    sentAt = Date.now();
  };
  const readJob = async (): Promise<RequesterJob> =>
    await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId });
  const followed = { keyId, jobId, giveUpAt: Date.now() + waitLimitMs, stream: true };
  const views = follow(ctx, followed, { from, signal });
  let { status, outlook } = job;
  let outlookAt = Date.now();
  let attemptId = from?.attemptId ?? null;
  let said = before;
  try {
    if (!isFinal(status)) send("job", jobBody(job));
    if (restarts) send("restart", {});
    for await (const view of views) {
      if (sink.gone() || sink.stops()) return;
      for (const { seq, text } of view.chunks) {
        if (attemptId !== null && attemptId !== view.attemptId) {
          send("restart", {});
          said = "";
        }
        ({ attemptId } = view);
        if (said !== null) said += text;
        // A piece may have nothing but a part of a tool call.
        if (text === "") continue;
        send("text", { attempt: view.attempt, text }, `${String(attemptId)}:${String(seq)}`);
      }
      const rest = view.chunks.length > 0 ? null : restOf(view.result, said);
      if (rest?.restarts === true) send("restart", {});
      // Its id is behind those of all pieces. So a reader who connects again does not get it twice.
      const restId = `${String(view.attemptId)}:${String(restSeq)}`;
      if (rest !== null && rest.text !== "") send("text", { attempt: view.attempt, text: rest.text }, restId);
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

/** The number of the piece that the device did not stream: the largest that an id may have. */
const restSeq = 999_999_999;

/**
 * The part of an answer's text that its device did not stream. It restarts the text if an earlier attempt has said something else.
 * Null: the reader has all.
 */
function restOf(
  result: RequestView["result"],
  said: string | null,
): { readonly text: string; readonly restarts: boolean } | null {
  if (result === null || said === null || !("text" in result)) return null;
  const { text } = result;
  if (text.startsWith(said)) return { text: text.slice(said.length), restarts: false };
  // The end of a text is trimmed after it was streamed.
  return text.startsWith(said.trimEnd()) ? null : { text, restarts: true };
}

/** The place that an event's id names. Null: none. */
function positionOf(id: string | null): TextPosition | null {
  const [, attemptId, seq] = /^([\w-]{1,64}):(\d{1,9})$/.exec(id ?? "") ?? [];
  return attemptId === undefined ? null : { attemptId, seq: Number(seq) };
}
