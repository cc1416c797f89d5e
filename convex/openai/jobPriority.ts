import { parsePriority } from "../../app/jobs/parse/parse-priority.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { Caller } from "./endpoint.ts";
import { jobNotQueued, unknownUrl } from "./errors.ts";
import { readJson } from "./readCall.ts";
import { errorResponse, json } from "./respond.ts";

/** The path of a job is this and its id. */
export const jobsPath = "/v1/jobs/";

/** POST /v1/jobs/ID/priority. Changes the priority of one of the key's jobs that no device has started. */
export async function changePriority(ctx: ActionCtx, request: Request, { keyId }: Caller): Promise<Response> {
  const path = new URL(request.url).pathname.slice(jobsPath.length);
  const jobId = /^([^/]+)\/priority$/.exec(path)?.[1];
  if (jobId === undefined) return errorResponse(unknownUrl(request));
  const read = await readJson(request, parsePriority);
  if (read.kind === "refused") return errorResponse(read.error);
  const { tier, priority } = read.asked;
  const { kind } = await ctx.runMutation(internal.requests.setPriorityAdmitted, { keyId, jobId, priority });
  return kind === "changed"
    ? json(200, { id: jobId, object: "job", service_tier: tier })
    : errorResponse(jobNotQueued);
}
