import type { ChatRequest } from "../../../app/jobs/chat.ts";
import { wholeEcho } from "../../../app/jobs/response-echo.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";

/** `json`: a `ResponseEcho`. `payloadChars`: the length of the payload that was read for it. */
type Found = { readonly json: string; readonly payloadChars: number };

/**
 * The fields of its request that a response repeats. Null if the job is no response, or if its payload is deleted. Refuses (draining)
 * while the deployment lacks its master key.
 */
export async function echoOfJob(
  ctx: QueryCtx,
  { organizationId, jobId, callForm }: Pick<Doc<"orders">, "organizationId" | "jobId" | "callForm">,
): Promise<Found | null> {
  if (callForm !== "response") return null;
  const found = await queue.payload(ctx, organizationId, jobId);
  if (found === null) return null;
  const { echo, ...request } = found.payload as unknown as ChatRequest & { readonly echo?: string };
  if (echo === undefined) return null;
  return {
    json: JSON.stringify(wholeEcho(echo, request)),
    payloadChars: JSON.stringify(found.payload).length,
  };
}
