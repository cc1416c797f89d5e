import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import { jobHeaders, json } from "../respond.ts";
import { jobBody, jobsPath } from "./jobBody.ts";
import { queueHeaders } from "./waiting.ts";

/** Seconds until it is worth asking for the job. */
const askAgain = "2";

/** Says that a call answered with its job because it asked for that. */
export const respondedAsync = { "preference-applied": "respond-async" } as const;

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

/** The headers of a call that is answered before its end: the path of what it asked for, and when to look. */
export function addressOf(path: string): Readonly<Record<string, string>> {
  return { location: path, "retry-after": askAgain };
}
