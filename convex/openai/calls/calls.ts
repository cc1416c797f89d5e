import { shownId, storedId } from "../../../app/batches/openai-objects.ts";
import { parsePriority } from "../../../app/jobs/parse/parse-priority.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { type Caller, idBelow, methodOf } from "../endpoint.ts";
import { jobEnded, jobNotQueued, severalJobs, unknownUrl, wrongMethod } from "../errors.ts";
import { jobsPath } from "../jobs/jobBody.ts";
import { type JobCalls, jobCalls } from "../jobs/jobs.ts";
import { askedResult } from "../jobs/result.ts";
import { readJson } from "../readCall.ts";
import { errorResponse, jobErrorResponse, json } from "../respond.ts";
import { answerCall, callBody } from "./answerCall.ts";
import { streamCallEvents } from "./callEvents.ts";
import type { KeyCall } from "./endOfCall.ts";

/** The calls about one call of several jobs. Its jobs have receipts and ratings, and itself has none. */
const callsOfSeveral: JobCalls = new Map([
  ["", { GET: getCall }],
  ["/result", { GET: getResult }],
  ["/receipt", { GET: async (...about) => await refuseSeveral("a receipt", ...about) }],
  ["/events", { GET: streamCallEvents }],
  ["/cancel", { POST: cancelCall }],
  ["/priority", { POST: changePriority }],
  ["/rating", { GET: refuseRating, POST: refuseRating, DELETE: refuseRating }],
] as readonly (readonly [string, NonNullable<ReturnType<JobCalls["get"]>>])[]);

/** Every call of /v1/jobs/ID and below. A key sees its own jobs only. */
export async function callJob(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const { id: shown, rest } = idBelow(request, jobsPath);
  const ofSeveral = storedId("call", shown);
  const call = (ofSeveral === "" ? jobCalls : callsOfSeveral).get(rest);
  if (shown === "" || call === undefined) return errorResponse(unknownUrl(request));
  const answer = new Map(Object.entries(call)).get(methodOf(request));
  return answer === undefined
    ? errorResponse(wrongMethod(request, Object.keys(call)))
    : await answer(ctx, request, caller, ofSeveral === "" ? shown : ofSeveral);
}

async function getCall(ctx: ActionCtx, _request: Request, { keyId }: Caller, id: string): Promise<Response> {
  return json(200, callBody(await ctx.runQuery(internal.calls.requests.view, { keyId, id }), id));
}

async function getResult(ctx: ActionCtx, request: Request, caller: Caller, id: string): Promise<Response> {
  const asked = await askedResult(ctx, request, caller);
  if ("error" in asked) return errorResponse(asked.error);
  const { encoding, giveUpAt } = asked;
  return await answerCall(ctx, caller, id, { until: giveUpAt ?? 0, signal: request.signal, encoding });
}

async function refuseSeveral(
  has: string,
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  id: string,
): Promise<Response> {
  const { jobIds } = await ctx.runQuery(internal.calls.requests.view, { keyId, id });
  return errorResponse(severalJobs(has, jobIds));
}

async function refuseRating(...about: Parameters<typeof getCall>): Promise<Response> {
  return await refuseSeveral("a rating", ...about);
}

async function cancelCall(
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  id: string,
): Promise<Response> {
  const { view, ended } = await canceledCall(ctx, { keyId, id });
  return ended === null
    ? json(200, callBody(view, id))
    : jobErrorResponse(jobEnded(ended), shownId("call", id));
}

/**
 * Cancels a call. A canceled call can be canceled again, as after a lost answer.
 * @returns its view afterward. `ended`: how it had ended otherwise; null: it is canceled.
 */
export async function canceledCall(ctx: ActionCtx, call: KeyCall) {
  const outcome = await ctx.runMutation(internal.calls.requests.cancel, call);
  const view = await ctx.runQuery(internal.calls.requests.view, call);
  const { status } = view.job;
  return { view, ended: outcome === "ended" && status !== "canceled" && isFinal(status) ? status : null };
}

async function changePriority(
  ctx: ActionCtx,
  request: Request,
  { keyId }: Caller,
  id: string,
): Promise<Response> {
  const read = await readJson(request, parsePriority);
  if (read.kind === "refused") return errorResponse(read.error);
  const { tier, priority } = read.asked;
  return (await ctx.runMutation(internal.calls.requests.setPriority, { keyId, id, priority }))
    ? json(200, { id: shownId("call", id), object: "job", service_tier: tier })
    : errorResponse(jobNotQueued);
}
