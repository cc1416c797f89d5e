import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import { addressOf, jobHeaders, json } from "../respond.ts";
import { queueHeaders } from "../wait/waiting.ts";
import { jobBody, jobsPath } from "./jobBody.ts";

type Accepted = { readonly keyId: Id<"apiKeys">; readonly jobId: string };

/** Answers a call before its job has ended: with the job, and its address. */
export async function answerAccepted(
  ctx: ActionCtx,
  { keyId, jobId }: Accepted,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const job = await ctx.runQuery(internal.requests.jobAdmitted, { keyId, jobId });
  return json(202, jobBody(job), {
    ...jobHeaders(job),
    ...queueHeaders(job.outlook),
    ...addressOf(`${jobsPath}${jobId}`),
    ...headers,
  });
}
