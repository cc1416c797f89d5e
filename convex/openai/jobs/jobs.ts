import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { Caller } from "../endpoint.ts";
import { jobEnded, unknownUrl, wrongNumber } from "../errors.ts";
import { errorResponse, jobErrorResponse, json } from "../respond.ts";
import { streamEvents } from "./events.ts";
import { jobBody, jobsPath } from "./jobBody.ts";
import { changePriority } from "./priority.ts";
import { getResult } from "./result.ts";

const usualLimit = 20;
const mostListed = 100;

/** GET /v1/jobs. The key's jobs, newest first. `?limit=20&after=ID` goes on after a page's last job. */
export async function listJobs(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const asked = new URL(request.url).searchParams;
  const limit = Number(asked.get("limit") ?? usualLimit);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostListed) {
    return errorResponse(wrongNumber("limit", 1, mostListed));
  }
  const after = asked.get("after");
  const page = await ctx.runQuery(internal.requests.jobsAdmitted, {
    keyId,
    limit,
    ...(after === null ? {} : { after }),
  });
  return json(200, {
    object: "list",
    data: page.jobs.map(jobBody),
    last_id: page.last,
    has_more: !page.isDone,
  });
}

/** GET /v1/jobs/ID, and what is below. A key sees its own jobs only. */
export async function getJob(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const { jobId, below } = placeOf(request);
  if (jobId === "") return errorResponse(unknownUrl(request));
  const { keyId } = caller;
  switch (below) {
    case null:
      return json(200, jobBody(await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId })));
    case "result":
      return await getResult(ctx, request, caller, jobId);
    case "events":
      return await streamEvents(ctx, request, caller, jobId);
    default:
      return errorResponse(unknownUrl(request));
  }
}

/** POST /v1/jobs/ID/cancel and /v1/jobs/ID/priority. */
export async function changeJob(ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const { jobId, below } = placeOf(request);
  if (jobId === "") return errorResponse(unknownUrl(request));
  switch (below) {
    case "cancel":
      return await cancelJob(ctx, caller, jobId);
    case "priority":
      return await changePriority(ctx, request, caller, jobId);
    default:
      return errorResponse(unknownUrl(request));
  }
}

/** A canceled job can be canceled again, as after a lost answer. */
async function cancelJob(ctx: ActionCtx, { keyId }: Caller, jobId: string): Promise<Response> {
  const outcome = await ctx.runMutation(internal.requests.cancelAdmitted, { keyId, jobId });
  if (outcome.kind === "already-final" && outcome.status !== "canceled") {
    return jobErrorResponse(jobEnded(outcome.status), jobId);
  }
  return json(200, jobBody(await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId })));
}

/** The parts of /v1/jobs/ID/BELOW. */
function placeOf(request: Request): { readonly jobId: string; readonly below: string | null } {
  const path = new URL(request.url).pathname.slice(jobsPath.length);
  const slash = path.indexOf("/");
  return slash === -1
    ? { jobId: path, below: null }
    : { jobId: path.slice(0, slash), below: path.slice(slash + 1) };
}
