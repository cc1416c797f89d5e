import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { Caller } from "../endpoint.ts";
import { jobEnded } from "../errors.ts";
import { pagingOf } from "../paging.ts";
import { cors, jobErrorResponse, json } from "../respond.ts";
import { streamEvents } from "./events.ts";
import { jobBody } from "./jobBody.ts";
import { changePriority } from "./priority.ts";
import { getRating, rate, removeRating } from "./rating.ts";
import { getResult } from "./result.ts";

/** GET /v1/jobs. The key's jobs, newest first. `?limit=20&after=ID` goes on after a page's last job. */
export async function listJobs(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const page = await ctx.runQuery(internal.requests.jobsAdmitted, { keyId, ...pagingOf(request, "job") });
  return json(200, {
    object: "list",
    data: page.jobs.map((job) => jobBody(job)),
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

/** The calls about one job, or one call of several jobs, by their path below its id and their method. */
export type JobCalls = ReadonlyMap<string, JobCall>;
type JobCall = {
  readonly [Method in "GET" | "POST" | "DELETE"]?: (
    ctx: ActionCtx,
    request: Request,
    caller: Caller,
    id: string,
  ) => Promise<Response>;
};

/** The calls about one job. */
export const jobCalls: JobCalls = new Map([
  ["", { GET: getJob }],
  ["/result", { GET: getResult }],
  ["/receipt", { GET: getReceipt }],
  ["/events", { GET: streamEvents }],
  ["/cancel", { POST: cancelJob }],
  ["/priority", { POST: changePriority }],
  ["/rating", { GET: getRating, POST: rate, DELETE: removeRating }],
] as readonly (readonly [string, JobCall])[]);

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
