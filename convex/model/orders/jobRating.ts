import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { scopeOf } from "../../../app/people/rights.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { belongsTo, may, type MemberCtx } from "../memberCalls.ts";
import { disputeState, rating, ratingReason } from "../validators/answers.ts";

/** Arguments that say something about an answer. */
export const givenRating = v.object({
  rating,
  reason: v.union(ratingReason, v.null()),
  comment: v.union(v.string(), v.null()),
  dispute: v.boolean(),
});

/** A rating as its requester sees it. */
export const ratingView = v.object({
  ...givenRating.fields,
  /** ms epoch; the last change. */
  at: v.number(),
  /** Null without a dispute. */
  dispute: v.union(
    v.object({
      state: disputeState,
      decidedAt: v.union(v.number(), v.null()),
      decision: v.union(v.string(), v.null()),
      refundMicro: v.union(v.int64(), v.null()),
    }),
    v.null(),
  ),
});

export async function ratingOf(
  ctx: QueryCtx,
  { jobId }: Pick<Doc<"orders">, "jobId">,
): Promise<Doc<"ratings"> | null> {
  return await ctx.db
    .query("ratings")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

export function viewOf(row: Doc<"ratings">): Infer<typeof ratingView> {
  const { rating, reason = null, comment, ratedAt: at, dispute, decision } = row;
  return {
    rating,
    reason,
    comment: comment === undefined ? null : visibleText(comment),
    at,
    dispute:
      dispute === undefined
        ? null
        : {
            state: dispute,
            decidedAt: decision?.at ?? null,
            decision: decision === undefined ? null : visibleText(decision.reason),
            refundMicro: decision?.refundMicro ?? null,
          },
  };
}

type Ctx = QueryCtx & MemberCtx;

/** Whether the member may rate the job's answer: its key is theirs, or the organization's, and they may change all jobs. */
export async function mayRate(ctx: Ctx, { apiKeyId }: Pick<Doc<"orders">, "apiKeyId">): Promise<boolean> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  const scope = scopeOf("jobs.change", ctx.member.roles);
  if (scope === null) return false;
  return key?.owner === undefined ? scope === "all" : belongsTo(ctx.member, key.owner);
}

/**
 * The rating of a job as the member may see it. Its comment may quote the answer, so only its author, the owner of the key, and those
 * who see disputes read it: not the donor of the device.
 */
export async function seenRating(ctx: Ctx, order: Doc<"orders">): Promise<Infer<typeof ratingView> | null> {
  const row = await ratingOf(ctx, order);
  if (row === null) return null;
  const key = await ctx.db.get("apiKeys", order.apiKeyId);
  const mayRead = row.by === ctx.member._id || belongsTo(ctx.member, key?.owner) || may(ctx, "disputes.read");
  const view = viewOf(row);
  return mayRead ? view : { ...view, comment: null };
}
