import { storedId } from "../../../app/batches/openai-objects.ts";
import { parseResponse } from "../../../app/jobs/parse/parse-response.ts";
import type { ResponseEcho } from "../../../app/jobs/response-echo.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequesterJob } from "../../model/requests/requesterJob.ts";
import { headOf, textOf } from "../answerForm.ts";
import { canceledCall } from "../calls/calls.ts";
import { endOfCall } from "../calls/endOfCall.ts";
import { followCall } from "../calls/followCall.ts";
import { type Caller, idBelow, methodOf } from "../endpoint.ts";
import { endOf, jobEnded, unknownUrl, wrongMethod } from "../errors.ts";
import { answerWhole, follow } from "../follow.ts";
import { type Call, readCall } from "../readCall.ts";
import { answerWithJob } from "../requestedJob.ts";
import {
  addressOf,
  answerHeaders,
  errorResponse,
  jobErrorResponse,
  jobHeaders,
  json,
  respondedAsync,
} from "../respond.ts";
import { streamText } from "../stream.ts";
import { answerVoted, chatCall, textWork } from "../textCalls.ts";
import type { VotedForm } from "../votes/answerVotes.ts";
import { askedWait } from "../wait/askedWait.ts";
import { queueHeaders } from "../wait/waiting.ts";
import {
  endStatus,
  failureBody,
  parseEcho,
  responseBody,
  responsesPath,
  type ResponseStatus,
} from "./responseBody.ts";
import { ResponseEvents } from "./responseEvents.ts";

/** POST /v1/responses: a chat in the words of OpenAI's Responses API. */
export async function createResponse(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const read = await readCall(request, caller, parseResponse);
  if (read.kind === "refused") return errorResponse(read.error);
  const call = read.call.asked.background ? inBackground(read.call) : read.call;
  const { echo, stream, vote } = call.asked;
  if (vote !== null) {
    const { signal } = request;
    const options = {
      vote,
      promptField: "input",
      answerScope: "inference",
      signal,
      form: votedForm(echo),
    } as const;
    const response = await answerVoted(ctx, caller, call, chatCall, options);
    return await inItsForm(ctx, caller, response, echo, read.call.prefer.respondAsync);
  }
  const created = Date.now();
  const work = await textWork(chatCall, call);
  const options = {
    work,
    callForm: "response",
    echo,
    stream,
    promptField: "input",
    answerScope: "inference",
  } as const;
  const response = await answerWithJob(ctx, caller, call, options, async (job) => {
    const head = { ...headOf(job, created), echo };
    if (stream) return await streamText(ctx, job, request.signal, new ResponseEvents(head));
    return await answerWhole(ctx, job, request.signal, (result) => {
      const text = textOf(result);
      return responseBody(head, endStatus(text), { result: text });
    });
  });
  return await inItsForm(ctx, caller, response, echo, read.call.prefer.respondAsync);
}

/**
 * The API answers with the response itself, however far it is, not with its job. A call in the background gets 200, as OpenAI's clients
 * expect.
 */
async function inItsForm(
  ctx: ActionCtx,
  caller: Caller,
  response: Response,
  echo: ResponseEcho,
  asPreferred: boolean,
): Promise<Response> {
  const jobId = response.headers.get("x-gleaner-job");
  if (response.status !== 202 || jobId === null) return response;
  return await answerStored(ctx, caller, jobId, echo, asPreferred);
}

function votedForm(echo: ResponseEcho): VotedForm {
  return {
    callForm: "response",
    echo,
    whole: (head, result, opinion) => responseBody({ ...head, echo, opinion }, endStatus(result), { result }),
    events: (head, opinion) => new ResponseEvents({ ...head, echo, opinion }),
  };
}

/** The answer of such a call is fetched later. */
function inBackground<Asked>(call: Call<Asked>): Call<Asked> {
  return { ...call, prefer: { respondAsync: true, waitMs: null } };
}

/**
 * Every call of /v1/responses/ID and below. A key sees its own responses only. `Prefer: wait=N` waits so many seconds for the end of a
 * response that is fetched.
 */
export async function callResponse(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const { id, rest } = idBelow(request, responsesPath);
  const method = rest === "" ? "GET" : rest === "/cancel" ? "POST" : null;
  if (id === "" || method === null) return errorResponse(unknownUrl(request));
  if (methodOf(request) !== method) return errorResponse(wrongMethod(request, [method]));
  const jobId = id.replace(/^resp_/, "");
  const refused =
    method === "POST"
      ? await cancelResponse(ctx, caller, jobId)
      : await waitForEnd(ctx, request, caller, jobId);
  return refused ?? (await answerStored(ctx, caller, jobId, null));
}

/** Waits as long as a reader asks for. @returns why it may not; null if the wait is over. */
async function waitForEnd(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  jobId: string,
): Promise<Response | null> {
  const asked = await askedWait(ctx, request, caller);
  if ("error" in asked) return errorResponse(asked.error);
  const { giveUpAt } = asked;
  if (giveUpAt === null) return null;
  const other = await otherThanResponse(ctx, caller, jobId);
  if (other !== null) return other;
  const { keyId } = caller;
  const { signal } = request;
  const id = storedId("call", jobId);
  const states =
    id === ""
      ? follow(ctx, { keyId, jobId, giveUpAt, stream: false }, { signal })
      : followCall(ctx, { keyId, id, giveUpAt }, { signal });
  for await (const _state of states) if (signal.aborted) break;
  return null;
}

/** @returns why the response was not canceled; null if it was. */
async function cancelResponse(ctx: ActionCtx, caller: Caller, jobId: string): Promise<Response | null> {
  const other = await otherThanResponse(ctx, caller, jobId);
  if (other !== null) return other;
  const { keyId } = caller;
  const id = storedId("call", jobId);
  if (id !== "") {
    const { ended } = await canceledCall(ctx, { keyId, id });
    return ended === null ? null : jobErrorResponse(jobEnded(ended), jobId);
  }
  const outcome = await ctx.runMutation(internal.requests.cancelAdmitted, { keyId, jobId });
  return outcome.kind === "already-final" && outcome.status !== "canceled"
    ? jobErrorResponse(jobEnded(outcome.status), jobId)
    : null;
}

/** @returns the answer for an id of a job or a call that is no response; null if it is one. */
async function otherThanResponse(ctx: ActionCtx, { keyId }: Caller, jobId: string): Promise<Response | null> {
  const id = storedId("call", jobId);
  const isResponse =
    id === ""
      ? (await ctx.runQuery(internal.requests.resultAdmitted, { keyId, jobId })).job.kind === "chat"
      : (await ctx.runQuery(internal.calls.requests.view, { keyId, id })).job.callForm === "response";
  return isResponse ? null : errorResponse(noResponse);
}

const openStatuses: Partial<Record<RequesterJob["status"], ResponseStatus>> = {
  queued: "queued",
  running: "in_progress",
  canceled: "cancelled",
};

/**
 * A response as it is now.
 * @param asked the fields of its request; null: the stored ones.
 * @param asPreferred the call asked for it by a header. Then the answer says so while the response has not ended.
 */
async function answerStored(
  ctx: ActionCtx,
  { keyId }: Caller,
  jobId: string,
  asked: ResponseEcho | null,
  asPreferred = false,
): Promise<Response> {
  const id = storedId("call", jobId);
  const vote = id === "" ? null : await ctx.runQuery(internal.calls.requests.view, { keyId, id });
  // Several choices are no response.
  if (vote !== null && vote.job.callForm !== "response") return errorResponse(noResponse);
  if (vote?.job.status === "succeeded") return await endOfCall(ctx, { keyId, id }, vote, "float");
  const {
    job: own,
    model: file,
    view,
    echo: stored,
  } = await ctx.runQuery(internal.requests.resultAdmitted, {
    keyId,
    jobId: vote === null ? jobId : (vote.failed ?? vote.job.jobId),
  });
  const job = { ...(vote?.job ?? own), jobId };
  if (job.kind !== "chat") return errorResponse(noResponse);
  const { submittedAt: created, modelId: model } = job;
  const echo = asked ?? parseEcho(stored);
  const head = { jobId, created, model, sha256: file.sha256, priority: view.priority, echo };
  if (vote === null && view.result !== null) {
    const result = textOf(view.result);
    return json(200, responseBody(head, endStatus(result), { result }), answerHeaders(head, view));
  }
  const status = openStatuses[job.status];
  const headers = { ...jobHeaders(job), ...queueHeaders(job.outlook) };
  if (status !== undefined && status !== "cancelled" && asPreferred) {
    const accepted = { ...addressOf(`${responsesPath}resp_${jobId}`), ...respondedAsync };
    return json(202, responseBody(head, status), { ...headers, ...accepted });
  }
  if (status !== undefined) return json(200, responseBody(head, status), headers);
  const error = endOf(view, "input");
  // An answer is deleted a day after its end.
  if (error === null || job.status === "succeeded") return jobErrorResponse(error ?? noResponse, jobId);
  return json(200, responseBody(head, "failed", { error: failureBody(error) }), headers);
}

const noResponse = {
  status: 404,
  type: "invalid_request_error",
  code: "not_found",
  message: "There is no such response.",
} as const;
