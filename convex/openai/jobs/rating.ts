import { unixSeconds } from "../../../app/batches/openai-objects.ts";
import { parseRating } from "../../../app/jobs/parse/parse-rating.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { Caller } from "../endpoint.ts";
import { disputeDecided, noAnswerToRate, noRating } from "../errors.ts";
import { readJson } from "../readCall.ts";
import { type ApiError, errorResponse, json } from "../respond.ts";

const failures: Readonly<Record<"no-answer" | "decided", ApiError>> = {
  "no-answer": noAnswerToRate,
  decided: disputeDecided,
};

/** POST /v1/jobs/ID/rating. Rates or disputes the answer of a job, or changes its rating. */
export async function rate(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  jobId: string,
): Promise<Response> {
  const read = await readJson(request, parseRating);
  if (read.kind === "refused") return errorResponse(read.error);
  const { keyId } = caller;
  const { kind } = await ctx.runMutation(internal.requests.rateAdmitted, { keyId, jobId, given: read.asked });
  return kind === "done" ? await getRating(ctx, request, caller, jobId) : errorResponse(failures[kind]);
}

/** GET /v1/jobs/ID/rating. */
export async function getRating(
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  const found = await ctx.runQuery(internal.requests.ratingAdmitted, { keyId, jobId });
  if (found === null) return errorResponse(noRating);
  const { rating, reason, comment, at, dispute } = found;
  return json(200, {
    id: jobId,
    object: "job.rating",
    rating,
    reason,
    comment,
    created_at: unixSeconds(at),
    dispute:
      dispute === null
        ? null
        : {
            status: dispute.state,
            decided_at: dispute.decidedAt === null ? null : unixSeconds(dispute.decidedAt),
            decision: dispute.decision,
            refund_micro: dispute.refundMicro === null ? null : String(dispute.refundMicro),
          },
  });
}

/** DELETE /v1/jobs/ID/rating. A rating can be removed again, as after a lost answer. */
export async function removeRating(
  ctx: ActionCtx,
  _request: Request,
  { keyId }: Caller,
  jobId: string,
): Promise<Response> {
  const { kind } = await ctx.runMutation(internal.requests.removeRatingAdmitted, { keyId, jobId });
  return kind === "done"
    ? json(200, { id: jobId, object: "job.rating", deleted: true })
    : errorResponse(failures[kind]);
}
