import { limits } from "../../../app/jobs/limits.ts";
import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import type { EmbeddingRequest } from "../../../app/jobs/work.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequestView } from "../../model/requests/watch.ts";
import type { Caller } from "../endpoint.ts";
import { endOf } from "../errors.ts";
import { endOfWait, follow } from "../follow.ts";
import type { Call } from "../readCall.ts";
import { answerWithJobs, idsOf, type RequestedJob } from "../requestedJob.ts";
import { answerHeaders, type ApiError, errorResponse, json, ofSeveral } from "../respond.ts";
import { vectorsBody } from "./vectorsBody.ts";

/** The vectors and the usage of all jobs of a call. */
type Vectors = Extract<NonNullable<RequestView["result"]>, { readonly embeddings: unknown }>;

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
  jobs: readonly RequestedJob[],
  asked: ParsedEmbedding,
): Promise<Response> {
  const [first] = jobs;
  if (first === undefined) throw new Error("a call has no jobs");
  const ids = idsOf(jobs);
  const refuse = (error: ApiError): Response =>
    errorResponse({ ...error, headers: { ...error.headers, "x-gleaner-job": ids } });
  const all: { embeddings: string[]; promptTokens: number; priceMicro: bigint } = {
    embeddings: [],
    promptTokens: 0,
    priceMicro: 0n,
  };
  for (const job of jobs) {
    const end = await endOfJob(ctx, signal, job);
    if (end.kind === "error") return refuse(end.error);
    all.embeddings.push(...end.vectors.embeddings);
    all.promptTokens += end.vectors.usage.promptTokens;
    all.priceMicro += end.priceMicro;
    const tooLarge = sizeMistake(end.vectors.embeddings[0] ?? "", asked);
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

type End =
  | { readonly kind: "vectors"; readonly vectors: Vectors; readonly priceMicro: bigint }
  | { readonly kind: "error"; readonly error: ApiError };

async function endOfJob(ctx: ActionCtx, signal: AbortSignal, job: RequestedJob): Promise<End> {
  for await (const view of follow(ctx, job, { signal })) {
    if (view.result !== null && "embeddings" in view.result) {
      return { kind: "vectors", vectors: view.result, priceMicro: view.priceMicro ?? 0n };
    }
    const error = endOf(view, job.promptField);
    if (error !== null) return { kind: "error", error };
    if (signal.aborted) break;
  }
  return { kind: "error", error: await endOfWait(ctx, job, signal) };
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
