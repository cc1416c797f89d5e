import { limits } from "../../../app/jobs/limits.ts";
import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import type { EmbeddingRequest } from "../../../app/jobs/work.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { vectorsOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import { endOfJob, endOfWait } from "../follow.ts";
import type { Call } from "../readCall.ts";
import { answerWithJobs, idsOf, type RequestedJob } from "../requestedJob.ts";
import { answerHeaders, type ApiError, errorResponse, json, ofSeveral } from "../respond.ts";
import { vectorsBody } from "./vectorsBody.ts";

/**
 * Answers a call whose inputs are several jobs, which devices do side by side: with all vectors, or with the first error. Then the
 * others are canceled, unless an idempotency key finds them again. Each job is paid by itself, once.
 */
export async function answerParts(
  ctx: ActionCtx,
  signal: AbortSignal,
  caller: Caller,
  call: Call<ParsedEmbedding>,
  parts: readonly EmbeddingRequest[],
): Promise<Response> {
  const works = parts.map((request) => ({ kind: "embedding" as const, request }));
  return await answerWithJobs(
    ctx,
    caller,
    call,
    works,
    { stream: false, promptField: "input" },
    async (jobs) => await gather(ctx, signal, jobs, call.asked),
  );
}

/** Waits for the jobs in their order, since all of them run meanwhile. */
async function gather(
  ctx: ActionCtx,
  signal: AbortSignal,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  asked: ParsedEmbedding,
): Promise<Response> {
  const [first] = jobs;
  const ids = idsOf(jobs);
  const refuse = (error: ApiError): Response =>
    errorResponse({ ...error, headers: { ...error.headers, "x-gleaner-job": ids } });
  const all: { embeddings: string[]; promptTokens: number; priceMicro: bigint } = {
    embeddings: [],
    promptTokens: 0,
    priceMicro: 0n,
  };
  for (const job of jobs) {
    const end = await endOfJob(ctx, job, signal);
    if (end === null) return refuse(await endOfWait(ctx, job, signal));
    if (end.kind === "failed") return refuse(end.error);
    const { embeddings, usage } = vectorsOf(end.result);
    all.embeddings.push(...embeddings);
    all.promptTokens += usage.promptTokens;
    all.priceMicro += end.view.priceMicro ?? 0n;
    const tooLarge = sizeMistake(embeddings[0] ?? "", asked);
    if (tooLarge !== null) return refuse(tooLarge);
  }
  const usage = { promptTokens: all.promptTokens, completionTokens: 0 };
  const body = vectorsBody(first.modelId, asked.encoding, { embeddings: all.embeddings, usage });
  return json(
    200,
    body,
    answerHeaders({ ...first, jobId: ids }, { ...first, ...ofSeveral, priceMicro: all.priceMicro }),
  );
}

/** The bytes of an answer for each number of a vector: in base64, and as most numbers are in JSON, with a comma. */
const numberBytes = { base64: 16 / 3, float: 22 } as const;

/** All vectors of a model have one length, so one tells the size of the answer. */
function sizeMistake(vector: string, { encoding, request }: ParsedEmbedding): ApiError | null {
  const numbers = vector.length / numberBytes.base64;
  const bytes = request.inputs.length * numbers * numberBytes[encoding];
  if (bytes <= limits.vectorsBytes) return null;
  const remedy =
    encoding === "base64"
      ? "Send fewer inputs."
      : 'Send fewer inputs, or ask for "encoding_format": "base64".';
  return {
    status: 400,
    type: "invalid_request_error",
    code: "result_too_large",
    param: "input",
    message: `The vectors of these inputs take more than ${String(limits.vectorsBytes / 2 ** 20)} MiB. ${remedy}`,
  };
}
