import { getConvexSize, type Infer, v } from "convex/values";
import { jobStatus } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { openStatuses } from "../jobs/states.ts";
import { priorities } from "../priority.ts";

/**
 * The most rows of a range that the first scan reads. A lane's twelve ranges fit into one query, even with the largest
 * rows.
 */
const firstScanRows = 32;
/** Each range (a lane's jobs of one status and priority) is counted exactly up to this number, and estimated beyond. */
export const countedExactly = 2_000;
export const lanesPerScan = 4;
/** Rows are read in pieces until they reach this many bytes. The last piece still fits into the query. */
const rowsPerPiece = 100;
const bytesCounted = 8 * 1024 * 1024;

export const rangeCount = v.object({
  laneId: v.id("lanes"),
  status: jobStatus,
  level: v.number(),
  count: v.number(),
  /** Whether there are more jobs than were read. */
  more: v.boolean(),
  /** How many of the jobs that were read belong to each requester. */
  requesters: v.array(v.object({ name: v.string(), read: v.number() })),
  read: v.number(),
});
export type RangeCount = Infer<typeof rangeCount>;

export const scan = v.object({
  ranges: v.array(rangeCount),
  oldest: v.array(v.object({ laneId: v.id("lanes"), readyAt: v.union(v.number(), v.null()) })),
});

/** The first scan of a few lanes. It is enough for the small ranges. */
export async function scanLanes(ctx: QueryCtx, laneIds: readonly Id<"lanes">[]): Promise<Infer<typeof scan>> {
  const [ranges, oldest] = await Promise.all([
    Promise.all(
      laneIds.flatMap((laneId) =>
        openStatuses.flatMap((status) =>
          priorities.map((level) => countRange(ctx, { laneId, status, level }, firstScanRows)),
        ),
      ),
    ),
    Promise.all(laneIds.map((laneId) => oldestReady(ctx, laneId))),
  ]);
  return { ranges: ranges.filter(({ count }) => count > 0), oldest };
}

export type Range = {
  readonly laneId: Id<"lanes">;
  readonly status: Doc<"jobs">["status"];
  readonly level: number;
};

/**
 * Counts one range from at most `limit` rows, or fewer large ones. Sample keys are random, so the first rows are a fair
 * sample.
 */
export async function countRange(ctx: QueryCtx, range: Range, limit: number): Promise<RangeCount> {
  const { jobs, all } = await firstJobs(ctx, range, limit);
  const by = new Map<string, number>();
  for (const { requester } of jobs) {
    if (requester !== undefined) by.set(requester, (by.get(requester) ?? 0) + 1);
  }
  return {
    ...range,
    count: estimateCount(
      jobs.map(({ dice }) => dice),
      all ? Infinity : jobs.length,
    ),
    more: !all,
    requesters: [...by].map(([name, read]) => ({ name, read })),
    read: jobs.length,
  };
}

/** The jobs of a range with the smallest sample keys. `all`: there are no more. */
async function firstJobs(
  ctx: QueryCtx,
  { laneId, status, level }: Range,
  limit: number,
): Promise<{ jobs: Doc<"jobs">[]; all: boolean }> {
  const jobs: Doc<"jobs">[] = [];
  let bytes = 0;
  while (jobs.length < limit && bytes < bytesCounted) {
    const wanted = Math.min(rowsPerPiece, limit - jobs.length);
    const after = jobs.at(-1)?.dice ?? -1;
    const piece = await ctx.db
      .query("jobs")
      .withIndex("by_dice", (q) =>
        q.eq("laneId", laneId).eq("status", status).eq("level", level).gt("dice", after),
      )
      .take(wanted);
    jobs.push(...piece);
    if (piece.length < wanted) return { jobs, all: true };
    bytes += piece.reduce((sum, job) => sum + getConvexSize(job), 0);
  }
  return { jobs, all: false };
}

/** When the oldest ready job of a lane became ready. Reads one job. */
export async function oldestReady(
  ctx: QueryCtx,
  laneId: Id<"lanes">,
): Promise<{ laneId: Id<"lanes">; readyAt: number | null }> {
  const job = await ctx.db
    .query("jobs")
    .withIndex("by_ready", (q) => q.eq("laneId", laneId).eq("status", "ready"))
    .first();
  return { laneId, readyAt: job?.readyAt ?? null };
}

/**
 * The number of jobs, from their smallest sample keys. Exact if all were read. Otherwise estimated without bias from
 * the largest key that was read. The standard error is 1/√n: 2.2 % for 2,000 jobs.
 * @param sampleKeys in [0, 1), ascending: the first `limit` of them, or all.
 */
export function estimateCount(sampleKeys: readonly number[], limit: number): number {
  const last = sampleKeys.at(-1);
  if (sampleKeys.length < limit || last === undefined || last === 0) return sampleKeys.length;
  return Math.max(sampleKeys.length, Math.round((sampleKeys.length - 1) / last));
}
