import { bucketOf, keptMs, spans } from "../../../app/statistics/spans.ts";
import { mergeSubjects, subjectKinds } from "../../../app/statistics/tally.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** A row of statistics, without its tallies. */
export type Bucket = Pick<Doc<"statistics">, "organizationId" | "by" | "spanMs" | "startAt">;

export async function rowOf(
  ctx: QueryCtx,
  { organizationId, by, spanMs, startAt }: Bucket,
): Promise<Doc<"statistics"> | null> {
  return await ctx.db
    .query("statistics")
    .withIndex("by_bucket", (q) =>
      q.eq("organizationId", organizationId).eq("spanMs", spanMs).eq("by", by).eq("startAt", startAt),
    )
    .unique();
}

/** The sums of all time, by model. A model that is not told apart has none of its own. */
export async function modelTotals(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"statistics">["subjects"]> {
  const row = await rowOf(ctx, { organizationId, by: "model", spanMs: spans.total, startAt: 0 });
  return row?.subjects ?? [];
}

const steps = {
  hour: { from: "short", position: "hoursTo" },
  day: { from: "hour", position: "daysTo" },
} as const;

/**
 * Merges the shorter buckets of the next hour or day that is over, one kind of subject a call, so that no call reads much.
 * Call it for days only when no hour is left.
 * @param before all jobs that ended before then are counted.
 * @returns false if no hour or day is over.
 */
export async function rollUp(
  ctx: MutationCtx,
  progress: Doc<"statisticsProgress">,
  to: keyof typeof steps,
  before: number,
): Promise<boolean> {
  const { from, position } = steps[to];
  const { organizationId } = progress;
  // Every job is counted under "all", so another kind has no bucket that this one lacks.
  const first = await ctx.db
    .query("statistics")
    .withIndex("by_bucket", (q) =>
      q
        .eq("organizationId", organizationId)
        .eq("spanMs", spans[from])
        .eq("by", "all")
        .gte("startAt", progress[position]),
    )
    .first();
  if (first === null) return false;
  const startAt = bucketOf(first.startAt, spans[to]);
  const end = startAt + spans[to];
  if (end > before) return false;
  for (const by of subjectKinds) {
    const bucket = { organizationId, by, spanMs: spans[to], startAt };
    if ((await rowOf(ctx, bucket)) !== null) continue;
    const parts = await partsOf(ctx, { ...bucket, spanMs: spans[from] }, end);
    if (parts.length === 0) continue;
    const subjects = mergeSubjects(parts.map((part) => part.subjects));
    await ctx.db.insert("statistics", { ...bucket, subjects });
    await forget(ctx, bucket, from, before);
    if (to === "day") await forget(ctx, bucket, to, before);
    return true;
  }
  await ctx.db.patch("statisticsProgress", progress._id, { [position]: end });
  return true;
}

/** A day has 24 hours, and an hour has 12 short buckets. */
const mostParts = 24;

async function partsOf(
  ctx: QueryCtx,
  { organizationId, by, spanMs, startAt }: Bucket,
  end: number,
): Promise<Doc<"statistics">[]> {
  return await ctx.db
    .query("statistics")
    .withIndex("by_bucket", (q) =>
      q
        .eq("organizationId", organizationId)
        .eq("spanMs", spanMs)
        .eq("by", by)
        .gte("startAt", startAt)
        .lt("startAt", end),
    )
    .take(mostParts);
}

/**
 * Deletes buckets that were kept long enough and are before this one, so that they are merged. No more are made at a time, so it
 * is never far behind.
 */
async function forget(
  ctx: MutationCtx,
  { organizationId, by, startAt }: Bucket,
  span: keyof typeof keptMs,
  now: number,
): Promise<void> {
  const old = await ctx.db
    .query("statistics")
    .withIndex("by_bucket", (q) =>
      q
        .eq("organizationId", organizationId)
        .eq("spanMs", spans[span])
        .eq("by", by)
        .lt("startAt", Math.min(startAt, now - keptMs[span])),
    )
    .take(mostParts);
  for (const { _id } of old) await ctx.db.delete("statistics", _id);
}
