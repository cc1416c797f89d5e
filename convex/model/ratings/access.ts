import type { Infer } from "convex/values";
import { scopeOf } from "../../../app/people/rights.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { belongsTo, may, type MemberCtx } from "../memberCalls.ts";
import { ratingOf, type ratingView, viewOf } from "./rate.ts";

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
