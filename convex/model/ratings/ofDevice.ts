import { type Infer, v } from "convex/values";
import { type CountedRatings, countRatings } from "../../../app/trust/ratings.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** Bounds what one query reads. */
const mostRead = 500;

/**
 * The ratings that count for the standing of a device with a model, of those that were given or changed since then (ms epoch): the newest
 * 500. Those of own jobs are left out. `withRatings` in app/trust/standing.ts adds them to a standing.
 */
export async function ratingsOf(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
  modelId: string,
  since: number,
): Promise<CountedRatings> {
  const rows = await ctx.db
    .query("ratings")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId).eq("modelId", modelId).gte("ratedAt", since))
    .order("desc")
    .take(mostRead);
  return countRatings(
    rows.filter(isOfOther).map(({ rater, rating, dispute }) => ({ rater, rating, dispute: dispute ?? null })),
  );
}

export const deviceRatings = v.object({
  good: v.number(),
  bad: v.number(),
  /** Disputed answers that an administrator found wrong. They are among the bad ones. */
  upheld: v.number(),
  /** Whether there may be more than were counted. */
  more: v.boolean(),
});

/** How requesters rated a device's answers in the last 90 days, as counts: no comment, and no requester. */
export async function deviceRatingsOf(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
): Promise<Infer<typeof deviceRatings>> {
  const rows = await ctx.db
    .query("ratings")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .take(mostRead);
  const counted = rows.filter((row) => isOfOther(row) && row.dispute !== "rejected");
  const good = counted.filter(({ rating }) => rating === "good").length;
  return {
    good,
    bad: counted.length - good,
    upheld: counted.filter(({ dispute }) => dispute === "settled").length,
    more: rows.length === mostRead,
  };
}

function isOfOther({ ownJob }: Doc<"ratings">): boolean {
  return ownJob !== true;
}
