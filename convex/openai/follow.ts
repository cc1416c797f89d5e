import type { WaitStage } from "../../app/jobs/poll-interval.ts";
import { isFinal } from "../../app/jobs/states.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { RequestView } from "../model/requests/watch.ts";
import { endOf, serverStops, waitIsOver } from "./errors.ts";
import { answerAccepted } from "./jobs/accepted.ts";
import { abandon, abandonAll, cancelAll, type RequestedJob } from "./requestedJob.ts";
import { answerHeaders, type ApiError, jobErrorResponse, json, respondedAsync } from "./respond.ts";
import { abortOf } from "./wait/abortOf.ts";
import { abortsWith } from "./wait/abortsWith.ts";
import { type CallWait, callWait, type WaitingCall } from "./wait/callWait.ts";
import { changes, type WatchArgs } from "./wait/changes.ts";
import { waitingOf } from "./wait/waiting.ts";

/**
 * Waits for a job's end and answers with the `body` of its result.
 * @param signal aborts when the client has left or the server stops.
 */
export async function answerWhole(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal | undefined,
  body: (result: NonNullable<RequestView["result"]>) => object,
): Promise<Response> {
  const end = await endOfJob(ctx, job, signal);
  if (end?.kind === "answered") return json(200, body(end.result), answerHeaders(job, end.view));
  if (end !== null) return jobErrorResponse(end.error, job.jobId);
  if (job.respondAsync) return await answerAccepted(ctx, job, respondedAsync);
  const error = await endOfWait(ctx, job, signal);
  await abandon(ctx, job);
  return jobErrorResponse(error, job.jobId);
}

type Answered = {
  readonly kind: "answered";
  readonly view: RequestView;
  readonly result: NonNullable<RequestView["result"]>;
};

export type JobEnd = Answered | { readonly kind: "failed"; readonly error: ApiError };

/**
 * Waits for a job's end. Null: the wait is over before, by its time or by the signal.
 * @param options `seen` is called with each state of the job. `callWait`: the wait of a call of several jobs.
 */
export async function endOfJob(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal | undefined,
  {
    seen,
    callWait: shared,
  }: { readonly seen?: ((view: RequestView) => void) | undefined; readonly callWait?: CallWait } = {},
): Promise<JobEnd | null> {
  for await (const view of follow(ctx, job, { signal, callWait: shared })) {
    seen?.(view);
    if (view.result !== null) return { kind: "answered", view, result: view.result };
    const error = endOf(view, job.promptField);
    if (error !== null) return { kind: "failed", error };
    if (signal?.aborted === true) break;
  }
  return null;
}

/** The ends of a call's jobs, in their order, or the first failure. */
type JobEnds =
  | { readonly kind: "answered"; readonly ends: readonly Answered[] }
  | { readonly kind: "failed"; readonly error: ApiError; readonly jobId: string };

/**
 * Waits for the ends of all jobs of a call together. If one fails, the waits for the others end and these are canceled. If the wait
 * is over before, all are abandoned.
 * @param mistakeIn why a result makes the call fail; null: it does not
 */
export async function endOfJobs(
  ctx: ActionCtx,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  signal: AbortSignal | undefined,
  mistakeIn: (result: Answered["result"]) => ApiError | null = () => null,
): Promise<JobEnds> {
  const failures: { readonly error: ApiError; readonly jobId: string; readonly isGivenUp: boolean }[] = [];
  const over = abortsWith(signal);
  const wait = callWait(ctx, jobs[0]);
  let ends: readonly (Answered | null)[];
  try {
    ends = await Promise.all(
      jobs.map(async (job) => {
        const end = await endOfJob(ctx, job, over.signal, { callWait: wait });
        const error = end?.kind === "answered" ? mistakeIn(end.result) : end?.error;
        if (end?.kind === "answered" && error === null) return end;
        if (failures.length > 0) return null;
        const isGivenUp = end === null;
        failures.push({
          error: error ?? (await endOfWait(ctx, job, signal)),
          jobId: job.jobId,
          isGivenUp,
        });
        over.abort();
        return null;
      }),
    );
  } finally {
    over.abort();
    await wait.end();
  }
  const [failure] = failures;
  if (failure === undefined) return { kind: "answered", ends: ends.filter((end) => end !== null) };
  // Jobs whose call still counts as waiting cannot be left, so this comes after the end of its wait.
  await (failure.isGivenUp ? abandonAll(ctx, jobs) : cancelAll(ctx, jobs));
  return { kind: "failed", error: failure.error, jobId: failure.jobId };
}

/** The error of a wait that is over before its job. If the client has left, nobody reads it. */
export async function endOfWait(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal | undefined,
): Promise<ApiError> {
  return signal?.aborted === true ? serverStops(job.kept) : waitIsOver(job, await waitingOf(ctx, job));
}

/** Each call keeps the job's text streaming for two more minutes. */
const followAgainMs = 45_000;

/** A state that nothing has changed is read again after this time, because some of it depends on the time. */
const readAgainMs = 30_000;

/** The last piece of a job's text that a watcher has. */
export type TextPosition = { readonly attemptId: string; readonly seq: number };

type FollowOptions = {
  /** The last piece that the watcher has already. */
  readonly from?: TextPosition | null;
  /** A wait ends early when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The wait of a call of several jobs, which ends it itself. */
  readonly callWait?: CallWait | undefined;
};

/**
 * Yields a job's states until it is final, each with the text that is new since the last one. It ends early, without a
 * final state, after `giveUpAt`. While nothing changes, it yields the last state again from time to time.
 */
export async function* follow(
  ctx: ActionCtx,
  job: WaitingCall & Pick<RequestedJob, "stream">,
  { from = null, signal, callWait: shared }: FollowOptions = {},
): AsyncGenerator<RequestView, void> {
  const { keyId, jobId, giveUpAt, stream } = job;
  let after = from;
  const wait = shared ?? callWait(ctx, job);
  // The submission counts as the first call.
  let followedAt = Date.now();
  let stage: { readonly name: WaitStage; readonly since: number } = { name: "queued", since: followedAt };
  const ended = abortOf(signal);
  const query = internal.requests.watchAdmitted;
  let args: WatchArgs = { keyId, jobId };
  const read = async (): Promise<RequestView> => {
    args = { keyId, jobId, ...(after === null ? {} : { after }) };
    return await ctx.runQuery(query, args);
  };
  try {
    let view = await read();
    let readAt = Date.now();
    for (;;) {
      yield view;
      // One answer has a bounded number of pieces, so more may follow after the end.
      const isOver = isFinal(view.status) && view.chunks.length === 0;
      if (isOver || Date.now() >= giveUpAt) return;
      const last = view.chunks.at(-1);
      if (last !== undefined && view.attemptId !== null) after = { attemptId: view.attemptId, seq: last.seq };
      await wait.count();
      if (stream && Date.now() - followedAt >= followAgainMs) {
        await ctx.runMutation(internal.requests.followAdmitted, { keyId, jobId });
        followedAt = Date.now();
      }
      const name = stageOf(view, stream && after !== null);
      if (name !== stage.name) stage = { name, since: Date.now() };
      const mostMs = Math.max(0, Math.min(giveUpAt - Date.now(), wait.uncountedMs()));
      const hasMore = isFinal(view.status) || isLongPiece(view);
      const isChanged =
        hasMore || (await Promise.race([changes(ctx, { query, args }, stage, mostMs), ended]));
      if (isChanged || Date.now() - readAt >= readAgainMs) {
        view = await read();
        readAt = Date.now();
      } else view = { ...view, chunks: [] };
    }
  } finally {
    if (shared === undefined) await wait.end();
  }
}

function stageOf({ status }: RequestView, hasText: boolean): WaitStage {
  if (status === "queued") return "queued";
  return hasText ? "streaming" : "running";
}

/** Whether a piece of an answer is so long that the query may have cut it. Then the rest is there already. */
function isLongPiece({ chunks }: RequestView): boolean {
  return chunks.length > 100 || JSON.stringify(chunks).length > 64 * 1024;
}
