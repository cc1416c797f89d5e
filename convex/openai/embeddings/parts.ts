import { limits } from "../../../app/jobs/limits.ts";
import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import type { EmbeddingRequest } from "../../../app/jobs/work.ts";
import type { ActionCtx } from "../../_generated/server.js";
import { vectorsOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import { endOfJobs } from "../follow.ts";
import type { Call } from "../readCall.ts";
import { answerWithJobs, idsOf, type RequestedJob } from "../requestedJob.ts";
import { answerHeaders, type ApiError, jobErrorResponse, json, ofSeveral } from "../respond.ts";
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

/** Waits for all jobs, and puts their vectors together in the order of the inputs. */
async function gather(
  ctx: ActionCtx,
  signal: AbortSignal,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  asked: ParsedEmbedding,
): Promise<Response> {
  const ids = idsOf(jobs);
  const end = await endOfJobs(ctx, jobs, signal, (result) =>
    sizeMistake(vectorsOf(result).embeddings[0] ?? "", asked),
  );
  if (end.kind === "failed") return jobErrorResponse(end.error, ids);
  const results = end.ends.map(({ result }) => vectorsOf(result));
  const embeddings = results.flatMap((result) => result.embeddings);
  const promptTokens = results.reduce((sum, { usage }) => sum + usage.promptTokens, 0);
  const priceMicro = end.ends.reduce((sum, { view }) => sum + (view.priceMicro ?? 0n), 0n);
  const [first] = jobs;
  const usage = { promptTokens, completionTokens: 0 };
  const body = vectorsBody(first.modelId, asked.encoding, { embeddings, usage });
  return json(200, body, answerHeaders({ ...first, jobId: ids }, { ...first, ...ofSeveral, priceMicro }));
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
