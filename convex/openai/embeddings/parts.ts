import type { CallForm } from "../../../app/jobs/call-forms.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { JobPriority } from "../../../app/jobs/priority.ts";
import type { EmbeddingRequest } from "../../../app/jobs/work.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequestView } from "../../model/requests/watch.ts";
import { vectorsOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import type { PromptField } from "../errors.ts";
import { endOfJobs } from "../follow.ts";
import type { Call } from "../readCall.ts";
import { answerWithJobs, idsOf, type RequestedJob } from "../requestedJob.ts";
import { answerHeaders, type ApiError, jobErrorResponse, json, totalCost } from "../respond.ts";

/** The vectors of all parts, in their order. */
export type Vectors = {
  readonly embeddings: readonly string[];
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number };
};

/** How a call answers with its vectors. */
type Answer = {
  /** Absent: each job answers as OpenAI's call for vectors. */
  readonly callForm?: CallForm;
  readonly promptField: PromptField;
  /** The error of vectors that are too long. All of a model have one length. */
  readonly mistake: (vector: string) => ApiError | null;
  readonly body: (vectors: Vectors, first: RequestedJob) => object;
};

/**
 * Answers a call whose inputs are several jobs, which devices do side by side: with all vectors, or with the first error. Then the
 * others are canceled, unless an idempotency key finds them again. Each job is paid by itself, once.
 */
export async function answerParts(
  ctx: ActionCtx,
  signal: AbortSignal,
  caller: Caller,
  call: Call<{ readonly priority: JobPriority }>,
  parts: readonly EmbeddingRequest[],
  answer: Answer,
): Promise<Response> {
  const works = parts.map((request) => ({ kind: "embedding" as const, request }));
  const { callForm, promptField } = answer;
  return await answerWithJobs(
    ctx,
    caller,
    call,
    works,
    { ...(callForm === undefined ? {} : { callForm }), stream: false, promptField },
    async (jobs) => await gather(ctx, signal, jobs, answer),
  );
}

/** Waits for all jobs, and puts their vectors together in the order of the inputs. */
async function gather(
  ctx: ActionCtx,
  signal: AbortSignal,
  jobs: readonly [RequestedJob, ...RequestedJob[]],
  { mistake, body }: Answer,
): Promise<Response> {
  const ids = idsOf(jobs);
  const end = await endOfJobs(ctx, jobs, signal, (result) => mistake(vectorsOf(result).embeddings[0] ?? ""));
  if (end.kind === "failed") return jobErrorResponse(end.error, ids);
  const [first] = jobs;
  const cost = totalCost(
    end.ends.map(({ view }) => view),
    first.pricePercent,
  );
  const headers = answerHeaders({ ...first, jobId: ids }, cost);
  return json(200, body(allVectors(end.ends.map(({ result }) => result)), first), headers);
}

/** The vectors of several jobs, in the order of the inputs. */
export function allVectors(all: readonly NonNullable<RequestView["result"]>[]): Vectors {
  const results = all.map(vectorsOf);
  const promptTokens = results.reduce((sum, { usage }) => sum + usage.promptTokens, 0);
  return {
    embeddings: results.flatMap((result) => result.embeddings),
    usage: { promptTokens, completionTokens: 0 },
  };
}

/** The bytes of an answer for each number of a vector: in base64, and as most numbers are in JSON, with a comma. */
export const numberBytes = { base64: 16 / 3, float: 22 } as const;

/** The error of an answer whose vectors take too much room. All vectors of a model have one length, so one tells the size. */
export function tooLarge(
  vector: string,
  {
    count,
    bytesOfNumber,
    param,
    remedy,
  }: {
    readonly count: number;
    readonly bytesOfNumber: number;
    readonly param: PromptField;
    readonly remedy: string;
  },
): ApiError | null {
  const numbers = vector.length / numberBytes.base64;
  if (count * numbers * bytesOfNumber <= limits.vectorsBytes) return null;
  return {
    status: 400,
    type: "invalid_request_error",
    code: "result_too_large",
    param,
    message: `The vectors of these inputs take more than ${String(limits.vectorsBytes / 2 ** 20)} MiB. ${remedy}`,
  };
}
