import { parsePriority } from "../../../app/jobs/parse/parse-priority.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { Caller } from "../endpoint.ts";
import { jobNotQueued } from "../errors.ts";
import { readJson } from "../readCall.ts";
import { errorResponse, json } from "../respond.ts";

/** POST /v1/jobs/ID/priority. Changes the priority of a job that no device has started. */
export async function changePriority(
  ctx: ActionCtx,
  request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  const read = await readJson(request, parsePriority);
  if (read.kind === "refused") return errorResponse(read.error);
  const { tier, priority } = read.asked;
  const { kind } = await ctx.runMutation(internal.requests.setPriorityAdmitted, { keyId, jobId, priority });
  return kind === "changed"
    ? json(200, { id: jobId, object: "job", service_tier: tier })
    : errorResponse(jobNotQueued);
}
