import type { Infer } from "convex/values";
import { shownId } from "../../../app/batches/openai-objects.ts";
import { numberBytes, remedies } from "../../../app/jobs/vectors/room.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { CallView } from "../../model/calls/view.ts";
import { asMutable } from "../../model/mutable.ts";
import { present } from "../../model/refuse.ts";
import type { jobResult } from "../../model/requests/requesterJob.ts";
import { embedBody } from "../../ollama/vectorsBody.ts";
import { type AnswerHead, textOf, type TextResult, totalUsage, vectorsOf } from "../answerForm.ts";
import { chatForm } from "../chatForm.ts";
import { wholeBody } from "../choices/choices.ts";
import { completionForm } from "../completionForm.ts";
import {
  allVectors,
  type Encoding,
  rankingBody,
  tooLarge,
  tooManyDocuments,
  vectorsBody,
  vectorsMistake,
} from "../embeddings/vectorsBody.ts";
import type { Caller } from "../endpoint.ts";
import { endOf, resultExpired } from "../errors.ts";
import { answerBody, formBody, promptFieldOf } from "../jobs/result.ts";
import { idsOf } from "../requestedJob.ts";
import {
  answerHeaders,
  type ApiError,
  errorResponse,
  jobErrorResponse,
  json,
  ownField,
  totalCost,
} from "../respond.ts";

/** A call of a key, by the id under which it is stored. */
export type KeyCall = Pick<Caller, "keyId"> & { readonly id: string };

type Part = Infer<typeof jobResult>;
type Parts = readonly [Part, ...Part[]];

/** The answer or the error that a call of several jobs would have got if it had waited. */
export async function endOfCall(
  ctx: ActionCtx,
  call: KeyCall,
  view: CallView,
  encoding: Encoding,
): Promise<Response> {
  const tooLong = await vectorsError(ctx, call, view, encoding);
  if (tooLong !== null) return errorResponse(tooLong);
  const parts = await partsOf(ctx, call, view);
  const failure = failureOf(view, parts);
  if (failure !== null) return jobErrorResponse(failure.error, failure.jobId);
  if (view.hasVotes) return json(200, votedBody(call, view, parts), headersOf(view, parts));
  const [{ job }] = parts;
  if (job.kind !== "embedding") {
    const form = job.kind === "chat" ? chatForm : completionForm;
    return json(200, wholeBody(form, headOf(parts[0]), textsOf(parts)), headersOf(view, parts));
  }
  const documents = view.ranking === null ? [] : await documentsOf(ctx, call, view);
  const body = documents === null ? null : vectorsAnswer(view, parts, { encoding, documents });
  return body === null ? jobErrorResponse(resultExpired, job.jobId) : json(200, body, headersOf(view, parts));
}

/** The jobs whose answers count, or the one whose failure does. They are read one by one, since all would be too much for a query. */
async function partsOf(
  ctx: ActionCtx,
  { keyId }: KeyCall,
  { jobIds, failed, decision }: CallView,
): Promise<Parts> {
  const ids = failed !== null ? [failed] : (decision?.ballots ?? jobIds);
  const [first, ...others] = await Promise.all(
    ids.map(async (jobId) => await ctx.runQuery(internal.requests.resultAdmitted, { keyId, jobId })),
  );
  if (first === undefined) throw new Error("a call has no jobs");
  return [first, ...others];
}

function failureOf(
  view: CallView,
  parts: Parts,
): { readonly error: ApiError; readonly jobId: string } | null {
  const { status } = view.job;
  const field = promptFieldOf(view.job, view.ranking !== null);
  if (status === "canceled" && view.failed === null) {
    const error = endOf({ status, result: null, error: null }, field);
    return error === null ? null : { error, jobId: parts[0].job.jobId };
  }
  for (const { view: part, job } of parts) {
    const error = part.result === null ? endOf(part, field) : null;
    if (error !== null) return { error, jobId: job.jobId };
  }
  return null;
}

function headOf({ job, model, view }: Part): AnswerHead {
  const { jobId, submittedAt: created, modelId } = job;
  return { jobId, created, model: modelId, sha256: model.sha256, priority: view.priority };
}

function textsOf(parts: readonly Part[]): readonly TextResult[] {
  return parts.map((part) => textOf(answerOf(part)));
}

function answerOf({ view }: Part) {
  return present(view.result, "answer of a job");
}

function headersOf({ job, decision }: CallView, parts: Parts): Readonly<Record<string, string>> {
  const cost = totalCost(
    parts.map(({ view }) => view),
    job.pricePercent,
  );
  const answered = parts.find((part) => part.job.jobId === decision?.answer) ?? parts[0];
  const jobId = idsOf(parts.map((part) => part.job));
  return answerHeaders({ jobId, sha256: answered.model.sha256 }, cost);
}

/** The answer that the votes have chosen. Its usage is that of all of them. */
function votedBody({ id }: KeyCall, { job, decision }: CallView, parts: Parts): object {
  const answer = parts.find((part) => part.job.jobId === decision?.answer);
  if (answer === undefined || decision === null) throw new Error("a vote is not decided");
  const { callForm, kind, submittedAt: created } = job;
  const { opinion } = decision;
  const usage = totalUsage(textsOf(parts).map((text) => text.usage));
  const whole = asMutable({ ...textOf(answerOf(answer)), usage });
  const head = { ...headOf(answer), created };
  if (callForm === null) {
    if (kind === "tokens") throw new Error("tokens have no votes");
    return { ...answerBody(kind, head, whole, "float"), ...ownField(opinion) };
  }
  // A response has the id under which it was asked for.
  const jobId = callForm === "response" ? shownId("call", id) : head.jobId;
  const ended = { result: whole, echo: parts[0].echo, endedAt: job.finishedAt ?? created };
  return formBody(callForm, { ...head, jobId, opinion }, ended);
}

/** The error of vectors that are too long for an answer. All have one length, so the first answer tells it before others are read. */
async function vectorsError(
  ctx: ActionCtx,
  { keyId }: KeyCall,
  { job, jobIds, ranking, vectors: count, failed }: CallView,
  encoding: Encoding,
): Promise<ApiError | null> {
  const { status, error, callForm } = job;
  const param = promptFieldOf(job, ranking !== null);
  if (failed === null && error !== null) return endOf({ status, result: null, error }, param);
  const [jobId] = jobIds;
  if (count === 0 || status !== "succeeded" || jobId === undefined) return null;
  const { view } = await ctx.runQuery(internal.requests.resultAdmitted, { keyId, jobId });
  const vector = view.result === null ? undefined : vectorsOf(view.result).embeddings[0];
  if (vector === undefined) return null;
  if (ranking !== null) return tooManyDocuments(vector, count - 1);
  if (callForm === null) return vectorsMistake(encoding, vector, count);
  return tooLarge(vector, { count, bytesOfNumber: numberBytes.float, param, remedy: remedies.inputs });
}

function vectorsAnswer(
  { job, ranking }: CallView,
  parts: Parts,
  { encoding, documents }: { readonly encoding: Encoding; readonly documents: readonly string[] },
): object {
  const vectors = allVectors(parts.map(answerOf));
  const { modelId, callForm, submittedAt, finishedAt } = job;
  if (ranking !== null) return rankingBody({ documents, ...ranking }, vectors, job);
  return callForm === null
    ? vectorsBody(modelId, encoding, vectors)
    : embedBody(modelId, vectors, (finishedAt ?? submittedAt) - submittedAt);
}

/** The documents of a ranking, if it repeats them. Null once they are deleted. */
async function documentsOf(
  ctx: ActionCtx,
  call: KeyCall,
  { ranking, jobIds }: CallView,
): Promise<readonly string[] | null> {
  if (ranking?.returnDocuments !== true) return [];
  const inputs = await Promise.all(
    jobIds.map(async (jobId) => await ctx.runQuery(internal.calls.requests.inputs, { ...call, jobId })),
  );
  // The first one is the query.
  return inputs.some((each) => each === null) ? null : inputs.flatMap((each) => each ?? []).slice(1);
}
