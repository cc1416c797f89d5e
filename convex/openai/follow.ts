import { waitingCalls } from "../../app/jobs/limits.ts";
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
import { answerHeaders, jobErrorResponse, json } from "./respond.ts";

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
  for await (const view of follow(ctx, job)) {
    if (view.result !== null) return json(200, body(view.result), answerHeaders(job, view));
    const error = endOf(view, job.promptField);
    if (error !== null) return jobErrorResponse(error, job.jobId);
    if (signal?.aborted === true) break;
  }
  if (job.respondAsync) return await answerAccepted(ctx, job, respondedAsync);
  const waiting = await waitingOf(ctx, job);
  await abandon(ctx, job);
  // If the client has left, nobody reads the answer.
  const error = signal?.aborted === true ? serverStops(job.kept) : waitIsOver(job, waiting);
  return jobErrorResponse(error, job.jobId);
}

/** Each call keeps the job's text streaming for two more minutes. */
const followAgainMs = 45_000;

/** The last piece of a job's text that a watcher has. */
export type TextPosition = { readonly attemptId: string; readonly seq: number };

/**
 * Yields a job's states until it is final, each with the text that is new since the last one. It ends early, without a
 * final state, after `giveUpAt`. An action cannot subscribe, so it polls.
 * @param from what the watcher has already
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
  from: TextPosition | null = null,
): AsyncGenerator<RequestView, void> {
  let after = from;
  let interval: number | null = null;
  let wait: Id<"waits"> | null = null;
  // The submission counts as the first call.
  let followedAt = Date.now();
  const countedFrom = followedAt + waitingCalls.countedAfterMs;
  try {
    for (;;) {
      const view: RequestView = await ctx.runQuery(internal.requests.watchAdmitted, {
        keyId,
        jobId,
        ...(after === null ? {} : { after }),
      });
      yield view;
      // One answer has a bounded number of pieces, so more may follow after the end.
      const isOver = isFinal(view.status) && view.chunks.length === 0;
      if (isOver || Date.now() >= giveUpAt) return;
      const last = view.chunks.at(-1);
      if (last !== undefined && view.attemptId !== null) {
        after = { attemptId: view.attemptId, seq: last.seq };
        interval = null;
      }
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
      interval = nextInterval(interval);
      await sleep(interval);
    }
  } finally {
    if (wait !== null) await forget(ctx, wait);
  }
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

const firstIntervalMs = 30;
const longestIntervalMs = 400;

/** The next polling interval, in milliseconds: the longer a job is silent, the less often we ask. */
function nextInterval(intervalMs: number | null): number {
  return intervalMs === null ? firstIntervalMs : Math.min(longestIntervalMs, intervalMs * 1.4);
}

async function sleep(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms));
}
