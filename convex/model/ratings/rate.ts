import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { limits } from "../../../app/jobs/limits.ts";
import { type GivenRating, ratingMistake } from "../../../app/jobs/rating.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { deleteBefore } from "../archives/oldRows.ts";
import { type Act, actorName, record } from "../audit.ts";
import { ratingOf } from "../orders/jobRating.ts";
import { refuseDeletedJob } from "../orders/orders.ts";
import { queue } from "../queue.ts";
import { present, refuse, wellFormed } from "../refuse.ts";

/** `no-answer`: the job has none, so nothing can be rated. `decided`: an administrator decided its dispute, so the rating stays. */
export const ratedOutcome = v.object({ kind: literals("done", "no-answer", "decided") });
type Outcome = Infer<typeof ratedOutcome>;

/**
 * Rates the answer of a job, or changes its rating, as long as the job is kept. The same rating again changes nothing. Refuses:
 * not_found (the job was deleted), invalid.
 */
export async function rateJob(
  ctx: MutationCtx,
  order: Doc<"orders">,
  given: GivenRating,
  by: Act,
): Promise<Outcome> {
  const { organizationId, jobId } = order;
  const said = checked(given);
  const job = (await queue.status(ctx, organizationId, jobId)) ?? refuseDeletedJob();
  if (job.status !== "succeeded") return { kind: "no-answer" };
  const before = await ratingOf(ctx, order);
  if (before?.decision !== undefined) return { kind: "decided" };
  if (before !== null && isSame(before, said)) return { kind: "done" };
  const about = before ?? (await aboutAnswer(ctx, order));
  if (about === null) return { kind: "no-answer" };
  const { modelId, deviceId, rater, ownJob } = about;
  const row = {
    organizationId,
    jobId,
    modelId,
    deviceId,
    rater,
    ...(ownJob === undefined ? {} : { ownJob }),
    ...said,
    ...(said.dispute === undefined ? {} : { disputedAt: before?.disputedAt ?? by.at }),
    by: actorName(by.actor),
    ratedAt: by.at,
  };
  if (before === null) await ctx.db.insert("ratings", row);
  else await ctx.db.replace("ratings", before._id, row);
  if (said.dispute !== before?.dispute) {
    const action = given.dispute ? "dispute.opened" : "dispute.withdrawn";
    await record(ctx, { organizationId, ...by, action, subject: jobId });
  }
  return { kind: "done" };
}

/** Removes a rating. Without one nothing changes. */
export async function removeRating(ctx: MutationCtx, order: Doc<"orders">, by: Act): Promise<Outcome> {
  const row = await ratingOf(ctx, order);
  if (row === null) return { kind: "done" };
  if (row.decision !== undefined) return { kind: "decided" };
  await ctx.db.delete("ratings", row._id);
  if (row.dispute !== undefined) {
    const { organizationId, jobId: subject } = order;
    await record(ctx, { organizationId, ...by, action: "dispute.withdrawn", subject });
  }
  return { kind: "done" };
}

type Said = Pick<Doc<"ratings">, "rating" | "reason" | "comment" | "dispute">;

function checked(given: GivenRating): Said {
  const { rating, reason, dispute } = given;
  const mistake = ratingMistake(given);
  if (mistake !== null) refuse("invalid", `${mistake.field}: ${mistake.why}.`);
  const comment = given.comment?.trim() ?? "";
  const most = limits.ratingCommentChars;
  if (comment.length > most) refuse("invalid", `The comment must have at most ${String(most)} characters.`);
  wellFormed(comment, "The comment");
  return {
    rating,
    ...(reason === null ? {} : { reason }),
    ...(comment === "" ? {} : { comment }),
    ...(dispute ? { dispute: "open" } : {}),
  };
}

function isSame(one: Said, other: Said): boolean {
  return (["rating", "reason", "comment", "dispute"] as const).every((field) => one[field] === other[field]);
}

type About = Pick<Doc<"ratings">, "modelId" | "deviceId" | "rater" | "ownJob">;

/** The device whose answer the requester got, and the requester. Null: the device is unknown. */
async function aboutAnswer(
  ctx: QueryCtx,
  { organizationId, jobId, modelId, apiKeyId, ownJob }: Doc<"orders">,
): Promise<About | null> {
  const attempts = await queue.attempts(ctx, organizationId, jobId);
  const worker = attempts.find(({ status }) => status === "succeeded")?.worker ?? "";
  const deviceId = ctx.db.normalizeId("devices", worker);
  if (deviceId === null) return null;
  const key = present(await ctx.db.get("apiKeys", apiKeyId), "key of a job");
  const rater = key.owner ?? key._id;
  return { modelId, deviceId, rater, ...(ownJob === true ? { ownJob } : {}) };
}

const keptMs = 90 * 24 * 3_600_000;
const deletedAtOnce = 200;

/** Deletes ratings that were first given 90 days ago: their jobs are gone. @returns whether there may be more. */
export async function deleteOldRatings(ctx: MutationCtx, now: number): Promise<boolean> {
  return (await deleteBefore(ctx, "ratings", now - keptMs, deletedAtOnce)) === deletedAtOnce;
}
