import { limits } from "../../../app/jobs/limits.ts";
import type { ParsedEmbedding } from "../../../app/jobs/parse/parse-embedding.ts";
import type { EmbeddingRequest } from "../../../app/jobs/work.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { Submitted } from "../../model/requests/submit.ts";
import type { RequestView } from "../../model/requests/watch.ts";
import { asMutable } from "../../model/validators.ts";
import type { Caller } from "../endpoint.ts";
import { endOf, errorOf, serverStops, tooManyWaiting, waitIsOver } from "../errors.ts";
import { follow } from "../follow.ts";
import { waitingOf } from "../jobs/waiting.ts";
import { type Outcome, outcomeOf } from "../outcome.ts";
import type { Call } from "../readCall.ts";
import { abandonAll, idsOf, type RequestedJob, waitLimitMs } from "../requestedJob.ts";
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
  const { keyId } = caller;
  // If they cannot be counted, the call is let through, as with the rate of calls.
  const waiting = await outcomeOf(ctx.runQuery(internal.requests.mayWaitAdmitted, { keyId }));
  if (waiting.kind === "ok" && !waiting.value.allowed) return errorResponse(tooManyWaiting(waiting.value));
  const submitted = await submit(ctx, caller, call, parts);
  if (submitted.kind !== "ok") return errorResponse(errorOf(submitted, "input"));
  const options = { keyId, stream: false, promptField: "input", respondAsync: false, request: null } as const;
  const kept = call.idempotencyKey !== null;
  const giveUpAt = Date.now() + Math.min(waitLimitMs, call.prefer.waitMs || waitLimitMs);
  const jobs = submitted.value.map((job) => ({ ...options, ...job, kept, giveUpAt }));
  try {
    const response = await gather(ctx, signal, jobs, call.asked);
    if (response.status !== 200) await abandonAll(ctx, jobs);
    return response;
  } catch (thrown) {
    await abandonAll(ctx, jobs);
    throw thrown;
  }
}

async function submit(
  ctx: ActionCtx,
  { keyId, hasQuotas }: Caller,
  { asked, model, alias, idempotencyKey, expiresInMs, requires }: Call<ParsedEmbedding>,
  parts: readonly EmbeddingRequest[],
): Promise<Outcome<readonly Submitted[]>> {
  const used = hasQuotas ? { use: await ctx.runQuery(internal.requests.useOfKey, { keyId }) } : {};
  const submission = {
    keyId,
    model: model.modelId,
    ...(alias === undefined ? {} : { alias }),
    works: parts.map((request) => asMutable({ kind: "embedding" as const, request })),
    stream: false,
    priority: asked.priority,
    idempotencyKey: idempotencyKey ?? crypto.randomUUID(),
    endsWithCall: idempotencyKey === null,
    isAwaited: true,
    requires: asMutable(requires),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...used,
  };
  const outcome = await outcomeOf(ctx.runMutation(internal.requests.submitParts, submission));
  // If it was committed after all, the idempotency keys find the jobs.
  return outcome.kind === "failed"
    ? await outcomeOf(ctx.runMutation(internal.requests.submitParts, submission))
    : outcome;
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
  if (signal.aborted) return { kind: "error", error: serverStops(job.kept) };
  return { kind: "error", error: waitIsOver(job, await waitingOf(ctx, job)) };
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
