import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { issueCredits } from "../credits/grants.ts";
import { ratingOf } from "../orders/jobRating.ts";
import { orderOf, paidByKey } from "../orders/orders.ts";
import { boundedPage, boundedText, present, refuse } from "../refuse.ts";
import { disputeState, ratingReason } from "../validators/answers.ts";

const maxReasonChars = 200;
const maxRows = 50;

export const disputeRow = v.object({
  jobId: v.string(),
  model: v.string(),
  deviceId: v.id("devices"),
  deviceName: v.string(),
  keyName: v.string(),
  reason: v.union(ratingReason, v.null()),
  comment: v.union(v.string(), v.null()),
  disputedAt: v.number(),
  state: disputeState,
  priceMicro: v.int64(),
  /** Null without a decision. `refundMicro`: null without a refund. */
  decision: v.union(
    v.object({
      by: v.string(),
      at: v.number(),
      reason: v.string(),
      refundMicro: v.union(v.int64(), v.null()),
    }),
    v.null(),
  ),
});

/** Disputes in a state, the newest first. */
export async function disputePage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  state: Infer<typeof disputeState>,
  paginationOpts: PaginationOptions,
): Promise<PaginationResult<Infer<typeof disputeRow>>> {
  const found = await ctx.db
    .query("ratings")
    .withIndex("by_dispute", (q) => q.eq("organizationId", organizationId).eq("dispute", state))
    .order("desc")
    .paginate(boundedPage(paginationOpts, maxRows));
  return { ...found, page: await Promise.all(found.page.map(async (row) => await rowOf(ctx, row, state))) };
}

async function rowOf(
  ctx: QueryCtx,
  row: Doc<"ratings">,
  state: Infer<typeof disputeState>,
): Promise<Infer<typeof disputeRow>> {
  const { jobId, modelId: model, deviceId, reason = null, comment, disputedAt, ratedAt, decision } = row;
  const order = present(await orderOf(ctx, jobId), "order of a dispute");
  const [device, key, decider] = await Promise.all([
    ctx.db.get("devices", deviceId),
    ctx.db.get("apiKeys", order.apiKeyId),
    decision === undefined ? null : ctx.db.get("members", decision.by),
  ]);
  return {
    jobId,
    model,
    deviceId,
    deviceName: visibleText(device?.name ?? ""),
    keyName: visibleText(key?.name ?? ""),
    reason,
    comment: comment === undefined ? null : visibleText(comment),
    disputedAt: disputedAt ?? ratedAt,
    state,
    priceMicro: order.priceMicro ?? 0n,
    decision:
      decision === undefined
        ? null
        : {
            by: visibleText(decider?.name ?? ""),
            at: decision.at,
            reason: visibleText(decision.reason),
            refundMicro: decision.refundMicro ?? null,
          },
  };
}

/** More open disputes are not counted one by one. */
const mostCounted = 100;

/** The number of open disputes, at most 100. */
export async function countOpenDisputes(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<number> {
  const open = await ctx.db
    .query("ratings")
    .withIndex("by_dispute", (q) => q.eq("organizationId", organizationId).eq("dispute", "open"))
    .take(mostCounted);
  return open.length;
}

type Decision = {
  readonly decider: Id<"members">;
  readonly reason: string;
  /** Whether the key gets the job's price back. The device keeps its pay, so the organization gives the credits. */
  readonly refund: boolean;
};

/** Finds that the requester is right. Refuses: not_found, conflict (it was decided, or there is nothing to refund), invalid, revoked. */
export async function settleDispute(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { decider: member, reason, refund }: Decision,
  by: Act,
): Promise<void> {
  const { organizationId, jobId } = order;
  const why = boundedText(reason, "The reason", maxReasonChars);
  const row = await openDispute(ctx, order);
  const refundMicro = refund ? await refundPrice(ctx, order, by.at) : null;
  await ctx.db.patch("ratings", row._id, {
    dispute: "settled",
    decision: { by: member, at: by.at, reason: why, ...(refundMicro === null ? {} : { refundMicro }) },
  });
  const refunded = refundMicro === null ? "" : `${formatExactCredits(refundMicro)} credits refunded: `;
  const detail = `${refunded}${why}`;
  await record(ctx, { organizationId, ...by, action: "dispute.settled", subject: jobId, detail });
}

/** Finds that the answer is right. Its rating then counts for nothing. Refuses: not_found, conflict (it was decided), invalid. */
export async function rejectDispute(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { decider: member, reason }: Omit<Decision, "refund">,
  by: Act,
): Promise<void> {
  const { organizationId, jobId } = order;
  const why = boundedText(reason, "The reason", maxReasonChars);
  const row = await openDispute(ctx, order);
  const decision = { by: member, at: by.at, reason: why };
  await ctx.db.patch("ratings", row._id, { dispute: "rejected", decision });
  await record(ctx, { organizationId, ...by, action: "dispute.rejected", subject: jobId, detail: why });
}

/** Opens a decided dispute again. Refuses: not_found, conflict (it is open, or credits were refunded). */
export async function reopenDispute(ctx: MutationCtx, order: Doc<"orders">, by: Act): Promise<void> {
  const { organizationId, jobId } = order;
  const { _id, decision } = await disputeOf(ctx, order);
  if (decision === undefined) refuse("conflict", "This dispute is open.");
  if (decision.refundMicro !== undefined)
    refuse(
      "conflict",
      "The credits were refunded, so this decision stays. Take them from the API key instead.",
    );
  await ctx.db.patch("ratings", _id, { dispute: "open", decision: undefined });
  await record(ctx, { organizationId, ...by, action: "dispute.reopened", subject: jobId });
}

async function disputeOf(ctx: QueryCtx, order: Doc<"orders">): Promise<Doc<"ratings">> {
  const row = await ratingOf(ctx, order);
  return row?.dispute === undefined ? refuse("not_found", "There is no such dispute.") : row;
}

async function openDispute(ctx: QueryCtx, order: Doc<"orders">): Promise<Doc<"ratings">> {
  const row = await disputeOf(ctx, order);
  return row.decision === undefined ? row : refuse("conflict", "This dispute was decided already.");
}

/** Gives the key what it paid for the job and does not have back. A job is refunded once, whatever happens to its dispute. */
async function refundPrice(ctx: MutationCtx, order: Doc<"orders">, at: number): Promise<bigint> {
  const { organizationId, apiKeyId, jobId, givenBackMicro = 0n } = order;
  const micro = paidByKey(order) - givenBackMicro;
  const key = present(await ctx.db.get("apiKeys", apiKeyId), "key of a job");
  if (micro <= 0n) {
    const why =
      givenBackMicro > 0n ? "The key has the price of this job back already" : "This job cost nothing";
    refuse("conflict", `${why}, so nothing can be refunded.`);
  }
  if (key.revokedAt !== undefined) refuse("revoked", "The API key was revoked, so it gets no credits.");
  const source = { kind: "refund" } as const;
  await issueCredits(ctx, { key: `refund:${jobId}`, organizationId, apiKeyId, micro, at, jobId, source });
  return micro;
}
