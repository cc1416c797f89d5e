import { jobErrors } from "../../../app/contract/job-errors.ts";
import { numberBytes, remedies, takeTooMuch, tooLargeWords } from "../../../app/jobs/vectors/room.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { cancelRest, endCall, statesOf } from "./calls.ts";

/**
 * Ends a call for vectors once the first answer shows that all of them take too much room in any form that can be fetched. So its other
 * jobs are not paid for nothing.
 */
export async function checkVectors(ctx: MutationCtx, call: Doc<"calls">, now: number): Promise<void> {
  const { _id: callId, organizationId, ranking, vectors } = call;
  if (vectors === undefined || vectors.fit) return;
  const jobs = await statesOf(ctx, call);
  const answered = jobs.find(({ status }) => status === "succeeded");
  // Once all jobs are answered, the call is, and its requester was told so. Its answer then says that it is too large.
  if (answered === undefined || jobs.every(({ status }) => status === "succeeded")) return;
  const { jobId, order } = answered;
  const stored = (await queue.result(ctx, organizationId, jobId))?.result;
  const { embeddings: [vector = ""] = [] } = (stored ?? {}) as { readonly embeddings?: readonly string[] };
  // The vectors of `/v1/embeddings` can be fetched as base64, and a ranking keeps them so.
  const form = order.callForm === undefined ? "base64" : "float";
  if (!takeTooMuch(vector, vectors.count, numberBytes[form])) {
    await ctx.db.patch("calls", callId, { vectors: { ...vectors, fit: true } });
    return;
  }
  const remedy = remedies[ranking === undefined ? "inputs" : "documents"];
  const error = { code: jobErrors.resultTooLarge.code, message: tooLargeWords(remedy) };
  await endCall(ctx, call, { at: now, how: "failed", error });
  await cancelRest(ctx, callId, now);
}
