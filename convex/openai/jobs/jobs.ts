import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import { type Caller, idBelow, methodOf } from "../endpoint.ts";
import { jobEnded, unknownUrl, wrongMethod } from "../errors.ts";
import { pagingOf } from "../paging.ts";
import { cors, errorResponse, jobErrorResponse, json } from "../respond.ts";
import { streamEvents } from "./events.ts";
import { jobBody, jobsPath } from "./jobBody.ts";
import { changePriority } from "./priority.ts";
import { getRating, rate, removeRating } from "./rating.ts";
import { getResult } from "./result.ts";

/** GET /v1/jobs. The key's jobs, newest first. `?limit=20&after=ID` goes on after a page's last job. */
export async function listJobs(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const page = await ctx.runQuery(internal.requests.jobsAdmitted, { keyId, ...pagingOf(request, "job") });
  return json(200, {
    object: "list",
    data: page.jobs.map(jobBody),
    last_id: page.last,
    has_more: !page.isDone,
  });
}

/** GET /v1/receipts. The receipts of the key's jobs, newest first, in pages as of jobs. Jobs without one are left out. */
export async function listReceipts(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const { receipts, last, isDone } = await ctx.runQuery(internal.requests.receiptsAdmitted, {
    keyId,
    ...pagingOf(request, "job"),
  });
  const data = receipts.map((receipt) => JSON.parse(receipt) as object);
  return json(200, { object: "list", data, last_id: last, has_more: !isDone });
}

type JobCall = {
  readonly [Method in "GET" | "POST" | "DELETE"]?: (
    ctx: ActionCtx,
    request: Request,
    caller: Caller,
    jobId: string,
  ) => Promise<Response>;
};

/** The calls about one job, by their path below /v1/jobs/ID and their method. */
const calls: ReadonlyMap<string, JobCall> = new Map([
  ["", { GET: getJob }],
  ["/result", { GET: getResult }],
  ["/receipt", { GET: getReceipt }],
  ["/events", { GET: streamEvents }],
  ["/cancel", { POST: cancelJob }],
  ["/priority", { POST: changePriority }],
  ["/rating", { GET: getRating, POST: rate, DELETE: removeRating }],
] as readonly (readonly [string, JobCall])[]);

/** Every call of /v1/jobs/ID and below. A key sees its own jobs only. */
export async function callJob(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const { id: jobId, rest } = idBelow(request, jobsPath);
  const call = calls.get(rest);
  if (jobId === "" || call === undefined) return errorResponse(unknownUrl(request));
  const answer = new Map(Object.entries(call)).get(methodOf(request));
  return answer === undefined
    ? errorResponse(wrongMethod(request, Object.keys(call)))
    : await answer(ctx, request, caller, jobId);
}

async function getJob(
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  return json(200, jobBody(await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId })));
}

/** The signed receipt of an answered job. `gleaner verify` checks it. */
async function getReceipt(
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  const receipt = await ctx.runQuery(internal.requests.receiptAdmitted, { keyId, jobId });
  return new Response(receipt, { headers: { "content-type": "application/json", ...cors } });
}

/** A canceled job can be canceled again, as after a lost answer. */
async function cancelJob(
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  const outcome = await ctx.runMutation(internal.requests.cancelAdmitted, { keyId, jobId });
  if (outcome.kind === "already-final" && outcome.status !== "canceled") {
    return jobErrorResponse(jobEnded(outcome.status), jobId);
  }
  return json(200, jobBody(await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId })));
}
