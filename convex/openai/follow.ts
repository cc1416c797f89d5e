import { type FunctionArgs, getFunctionName, makeFunctionReference } from "convex/server";
import { waitingCalls } from "../../app/jobs/limits.ts";
import { pollIntervalMs, type WaitStage } from "../../app/jobs/poll-interval.ts";
import { isFinal } from "../../app/jobs/states.ts";
import { internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import type { ActionCtx } from "../_generated/server.js";
import type { RequestView } from "../model/requests/watch.ts";
import { endOf, serverStops, waitIsOver } from "./errors.ts";
import { answerAccepted, respondedAsync } from "./jobs/accepted.ts";
import { waitingOf } from "./jobs/waiting.ts";
import { logBug, outcomeOf } from "./outcome.ts";
import { abandon, type RequestedJob } from "./requestedJob.ts";
import { answerHeaders, type ApiError, jobErrorResponse, json } from "./respond.ts";

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

export type JobEnd =
  | {
      readonly kind: "answered";
      readonly view: RequestView;
      readonly result: NonNullable<RequestView["result"]>;
    }
  | { readonly kind: "failed"; readonly error: ApiError };

/** Waits for a job's end. Null: the wait is over before, by its time or by the signal. */
export async function endOfJob(
  ctx: ActionCtx,
  job: RequestedJob,
  signal: AbortSignal | undefined,
): Promise<JobEnd | null> {
  for await (const view of follow(ctx, job, { signal })) {
    if (view.result !== null) return { kind: "answered", view, result: view.result };
    const error = endOf(view, job.promptField);
    if (error !== null) return { kind: "failed", error };
    if (signal?.aborted === true) break;
  }
  return null;
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

/** The last piece of a job's text that a watcher has. */
export type TextPosition = { readonly attemptId: string; readonly seq: number };

type FollowOptions = { readonly from?: TextPosition | null; readonly signal?: AbortSignal | undefined };

/**
 * Yields a job's states until it is final, each with the text that is new since the last one. It ends early, without a
 * final state, after `giveUpAt`. While nothing changes, it yields the last state again from time to time.
 * @param options `from`: what the watcher has already. `signal`: a wait ends early when it aborts.
 */
export async function* follow(
  ctx: ActionCtx,
  {
    keyId,
    jobId,
    giveUpAt,
    stream,
    request = null,
  }: Pick<RequestedJob, "keyId" | "jobId" | "giveUpAt" | "stream"> & Partial<Pick<RequestedJob, "request">>,
  { from = null, signal }: FollowOptions = {},
): AsyncGenerator<RequestView, void> {
  let after = from;
  let wait: Id<"waits"> | null = null;
  // The submission counts as the first call.
  let followedAt = Date.now();
  let stage: { readonly name: WaitStage; readonly since: number } = { name: "queued", since: followedAt };
  const countedFrom = followedAt + waitingCalls.countedAfterMs;
  const ended = new Promise<false>((resolve) => {
    signal?.addEventListener("abort", () => resolve(false));
  });
  let args: WatchArgs = { keyId, jobId };
  const read = async (): Promise<RequestView> => {
    args = { keyId, jobId, ...(after === null ? {} : { after }) };
    return await ctx.runQuery(internal.requests.watchAdmitted, args);
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
      if (wait === null && Date.now() >= countedFrom) {
        wait = await ctx.runMutation(internal.requests.beginWaitAdmitted, {
          keyId,
          until: giveUpAt,
          ...(request === null ? {} : { jobId, request }),
        });
      }
      if (stream && Date.now() - followedAt >= followAgainMs) {
        await ctx.runMutation(internal.requests.followAdmitted, { keyId, jobId });
        followedAt = Date.now();
      }
      const name = stageOf(view, stream && after !== null);
      if (name !== stage.name) stage = { name, since: Date.now() };
      const hasMore = isFinal(view.status) || isLongPiece(view);
      const isChanged = hasMore || (await Promise.race([changes(ctx, args, stage, giveUpAt), ended]));
      if (isChanged || Date.now() - readAt >= readAgainMs) {
        view = await read();
        readAt = Date.now();
      } else view = { ...view, chunks: [] };
    }
  } finally {
    if (wait !== null) await forget(ctx, wait);
  }
}

function stageOf({ status }: RequestView, hasText: boolean): WaitStage {
  if (status === "queued") return "queued";
  return hasText ? "streaming" : "running";
}

/** Whether a piece of text is so long that the query may have cut it. Then the rest is there already. */
function isLongPiece({ chunks }: RequestView): boolean {
  return chunks.length > 100 || chunks.reduce((chars, { text }) => chars + text.length, 0) > 64 * 1024;
}

/** Never rejects: the count ends by itself, later. */
async function forget(ctx: ActionCtx, waitId: Id<"waits">): Promise<void> {
  const outcome = await outcomeOf(ctx.runMutation(internal.requests.endWaitAdmitted, { waitId }));
  if (outcome.kind !== "ok")
    logBug(
      "the end of a wait could not be noted",
      outcome.kind === "failed" ? outcome.thrown : outcome.refusal,
    );
}

/** Functions see this variable only on the embedded backend. Other projects, which have no types of Node, import these types. */
declare const process: { readonly env: { readonly CONVEX_EMBEDDED_WAIT_FOR_CHANGE?: string } };

type WatchArgs = FunctionArgs<typeof internal.requests.watchAdmitted>;
type Wait = { query: string; args: WatchArgs; withinMs: number };

/** So often a wait goes on, for example to send a comment to its client: at first after the least time, later less often. */
const goesOnAfterMs = { least: 1_000, most: 5_000 } as const;

/** A state that nothing has changed is read again after this time, because some of it depends on the time. */
const readAgainMs = 30_000;

/**
 * Waits until the job's state may have changed; false if it surely has not. An action cannot subscribe, so it polls. The
 * embedded backend wakes it instead, by a change of what the query has read.
 */
async function changes(
  ctx: ActionCtx,
  args: WatchArgs,
  stage: { readonly name: WaitStage; readonly since: number },
  until: number,
): Promise<boolean> {
  const now = Date.now();
  const leftMs = Math.max(0, until - now);
  const sinceMs = now - stage.since;
  const waitForChange = process.env.CONVEX_EMBEDDED_WAIT_FOR_CHANGE ?? "";
  if (waitForChange === "") {
    await sleep(Math.min(leftMs, pollIntervalMs(stage.name, sinceMs)));
    return true;
  }
  const reference = makeFunctionReference<"action", Wait, boolean>(waitForChange);
  const query = getFunctionName(internal.requests.watchAdmitted);
  const { least, most } = goesOnAfterMs;
  const withinMs = Math.min(leftMs, most, Math.max(least, Math.floor(sinceMs / 2)));
  return await ctx.runAction(reference, { query, args, withinMs });
}

async function sleep(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms));
}
