import type { ActionCtx } from "../_generated/server.js";
import type { Result } from "./answerOf.ts";
import { abandon, type AskedJob, endOf, withJob } from "./requestedJob.ts";
import { waitIsOver } from "./errors.ts";
import { follow } from "./follow.ts";
import { json } from "./respond.ts";

/** Waits for a job's end and answers with the `body` of its result. */
export async function answerWhole(
  ctx: ActionCtx,
  asked: AskedJob,
  signal: AbortSignal | undefined,
  body: (result: Result) => object,
): Promise<Response> {
  const headers = { "x-gleaner-job": asked.jobId };
  for await (const view of follow(ctx, asked)) {
    if (view.result !== null) return json(200, body(view.result), headers);
    const error = endOf(view, asked.promptField);
    if (error !== null) return withJob(error, asked.jobId);
    if (signal?.aborted === true) break;
  }
  await abandon(ctx, asked);
  return withJob(waitIsOver(asked.jobId, asked.kept), asked.jobId);
}
