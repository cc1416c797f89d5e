import type { QueryCtx } from "../../_generated/server.js";
import { belongsTo, type MemberCtx } from "../memberCalls.ts";
import { queue } from "../queue.ts";
import { orderOf } from "./orders.ts";

/** Longer than any id. */
const maxChars = 300;
/** The HTTP API puts these before a job's id. */
const apiPrefix = /^(chatcmpl|cmpl|embd|job)-/;

/**
 * The job that has this id, or the newest one with this external id, if the member may see it. Exact: ids are no words to search
 * in.
 */
export async function findJob(ctx: QueryCtx & MemberCtx, text: string): Promise<string | null> {
  const sought = text.trim();
  if (sought === "" || sought.length > maxChars) return null;
  const byId = await visibleJob(ctx, sought.replace(apiPrefix, ""));
  if (byId !== null) return byId;
  const external = await queue.statusByExternalId(ctx, ctx.organizationId, sought);
  return external === null ? null : await visibleJob(ctx, external.jobId);
}

async function visibleJob(ctx: QueryCtx & MemberCtx, jobId: string): Promise<string | null> {
  const order = await orderOf(ctx, jobId);
  if (order?.organizationId !== ctx.organizationId) return null;
  if (ctx.scope === "all") return order.jobId;
  const key = await ctx.db.get("apiKeys", order.apiKeyId);
  return belongsTo(ctx.member, key?.owner) ? order.jobId : null;
}
