import type { Infer } from "convex/values";
import type { CallForm } from "../../../app/jobs/call-forms.ts";
import type { JobPriority } from "../../../app/jobs/priority.ts";
import type { EmbeddingRequest } from "../../../app/jobs/work.ts";
import type { ActionCtx } from "../../_generated/server.js";
import type { ranking } from "../../model/calls/validators.ts";
import { vectorsOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import type { PromptField } from "../errors.ts";
import { endOfJobs } from "../follow.ts";
import type { Call } from "../readCall.ts";
import { idsOf, type RequestedJob } from "../requestedJob.ts";
import { answerHeaders, type ApiError, jobErrorResponse, json, totalCost } from "../respond.ts";
import { answerWithJobs } from "../severalJobs.ts";
import { allVectors, type Encoding, type Vectors } from "./vectorsBody.ts";

/** How a call answers with its vectors. */
type Answer = {
  /** Absent: each job answers as OpenAI's call for vectors. */
  readonly callForm?: CallForm;
  readonly promptField: PromptField;
  /** Absent: numbers. */
  readonly encoding?: Encoding;
  /** Only of a ranking. */
  readonly ranking?: Infer<typeof ranking>;
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
  const { callForm, promptField, encoding, ranking } = answer;
  const form = callForm === undefined ? {} : { callForm };
  const encoded = encoding === undefined ? {} : { encoding };
  const vectors = parts.reduce((sum, { inputs }) => sum + inputs.length, 0);
  const ofRanking = ranking === undefined ? {} : { ranking };
  return await answerWithJobs(
    ctx,
    caller,
    call,
    works,
    { ...form, ...encoded, ...ofRanking, vectors, stream: false, promptField, signal },
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
