import { shownId } from "../../../app/batches/openai-objects.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { CallView } from "../../model/calls/view.ts";
import type { Encoding } from "../embeddings/vectorsBody.ts";
import type { Caller } from "../endpoint.ts";
import { jobBody, jobsPath } from "../jobs/jobBody.ts";
import { addressOf, jobHeaders, json, respondedAsync } from "../respond.ts";
import { queueHeaders } from "../wait/waiting.ts";
import { endOfCall } from "./endOfCall.ts";
import { followCall } from "./followCall.ts";

type AnswerOptions = {
  /** The end of the wait for the answer: ms epoch. Null: the call itself is the answer. */
  readonly until: number | null;
  readonly signal: AbortSignal;
  readonly encoding?: Encoding;
  /** Whether the requester has asked for the call as the answer. */
  readonly asPreferred?: boolean;
};

/** Answers with a call of several jobs: with its answer or error if it has ended in time, otherwise with the call as a job. */
export async function answerCall(
  ctx: ActionCtx,
  { keyId }: Pick<Caller, "keyId">,
  id: string,
  { until, signal, encoding = "float", asPreferred = false }: AnswerOptions,
): Promise<Response> {
  if (until !== null) await endOfWait(ctx, { keyId, id, giveUpAt: until }, signal);
  const view = await ctx.runQuery(internal.calls.requests.view, { keyId, id });
  if (until !== null && isFinal(view.job.status)) return await endOfCall(ctx, { keyId, id }, view, encoding);
  const jobId = shownId("call", id);
  return json(202, callBody(view, id), {
    ...jobHeaders({ jobId, pricePercent: view.job.pricePercent }),
    ...queueHeaders(view.job.outlook),
    ...addressOf(`${jobsPath}${jobId}`),
    ...(asPreferred ? respondedAsync : {}),
  });
}

async function endOfWait(
  ctx: ActionCtx,
  call: Parameters<typeof followCall>[1],
  signal: AbortSignal,
): Promise<void> {
  for await (const _state of followCall(ctx, call, { signal })) if (signal.aborted) return;
}

/** A call of several jobs as a job. */
export function callBody({ job, jobIds, ranking }: CallView, id: string): object {
  return jobBody(job, { id: shownId("call", id), jobIds, isRanking: ranking !== null });
}
