import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { abandon, type AskedJob, endOf, withJob } from "./askedJob.ts";
import { completionBody } from "./completion.ts";
import { errorResponse, waitIsOver } from "./errors.ts";
import { follow } from "./follow.ts";
import { prepareChat, type PreparedChat } from "./prepare.ts";
import { json } from "./respond.ts";
import { streamCompletion } from "./stream.ts";
import { thaw } from "./thaw.ts";
import { waitLimitMs } from "./wait.ts";

/** POST /v1/chat/completions. */
export async function chatCompletions(ctx: ActionCtx, request: Request): Promise<Response> {
  const outcome = await prepareChat(ctx, request);
  if (outcome.kind === "refused") return errorResponse(outcome.error);
  const { prepared } = outcome;
  const created = Date.now();
  const jobId: string = await submit(ctx, prepared);
  const { modelId, sha256 } = prepared.model;
  const asked: AskedJob = {
    apiKey: prepared.apiKey,
    jobId,
    giveUpAt: created + waitLimitMs,
    stream: prepared.chat.stream,
    kept: prepared.idempotencyKey !== null,
    head: { jobId, created, model: modelId, sha256 },
  };
  try {
    if (prepared.chat.stream) return await streamCompletion(ctx, asked, prepared.chat.includeUsage);
    return await completeAtOnce(ctx, asked, request.signal);
  } catch (thrown) {
    await abandon(ctx, asked);
    throw thrown;
  }
}

async function submit(ctx: ActionCtx, prepared: PreparedChat): Promise<string> {
  const { apiKey, chat, idempotencyKey, maxTokens, seed } = prepared;
  const submission = {
    apiKey,
    model: prepared.model.modelId,
    request: thaw({ ...chat.request, maxTokens, seed }),
    stream: chat.stream,
    priority: chat.priority,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
  };
  try {
    return (await ctx.runMutation(internal.requests.submit, { ...submission, handOver: true })).jobId;
  } catch (thrown) {
    // Handed over, it meets whoever waits; without that it meets nobody.
    if (!hasLostItsRaces(thrown)) throw thrown;
    return (await ctx.runMutation(internal.requests.submit, submission)).jobId;
  }
}

/** Whether Convex gave a mutation up for what others wrote meanwhile. */
function hasLostItsRaces(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return /OptimisticConcurrencyControlFailure|changed while this mutation was being run/.test(thrown.message);
}

async function completeAtOnce(
  ctx: ActionCtx,
  asked: AskedJob,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers = { "x-gleaner-job": asked.jobId };
  for await (const view of follow(ctx, asked)) {
    if (view.result !== null) return json(200, completionBody(asked.head, view.result), headers);
    const error = endOf(view);
    if (error !== null) return withJob(error, asked.jobId);
    if (signal?.aborted === true) break;
  }
  await abandon(ctx, asked);
  return withJob(waitIsOver(asked.jobId, asked.kept), asked.jobId);
}
