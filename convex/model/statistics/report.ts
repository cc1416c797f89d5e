import { type Infer, v } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";
import { bucketOf, type Range, ranges, spans } from "../../../app/statistics/spans.ts";
import { summaryOfTally } from "../../../app/statistics/summary.ts";
import { mergeSubjects, otherSubject, type SubjectKind } from "../../../app/statistics/tally.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { tallySummary } from "../validators/statistics.ts";
import { findProgress } from "./seal.ts";

export const statisticsReport = v.object({
  /** The length of a point; ms. */
  pointMs: v.number(),
  /** All jobs over time. A point without jobs is left out. `startAt`: ms epoch. */
  points: v.array(v.object({ startAt: v.number(), summary: tallySummary })),
  /** Those with the most jobs first. The subject "" has all others. */
  subjects: v.array(
    v.object({
      /** A model's name, a lane's name, or the id of a key or a device. */
      subject: v.string(),
      /** Null for a lane, for the others, and if the row is gone. */
      name: v.union(v.string(), v.null()),
      summary: tallySummary,
    }),
  ),
});

type Wanted = {
  readonly by: "model" | "lane" | "key" | "device";
  readonly range: Range;
  readonly until: number;
  readonly subject?: string | undefined;
};

/**
 * An organization's statistics of a time that ends at `until` (ms epoch): merged from buckets, whose number is bounded. No job
 * is read. The first bucket may begin before the time does.
 */
export async function reportOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { by, range, until, subject }: Wanted,
): Promise<Infer<typeof statisticsReport>> {
  const { ms, points, table } = ranges[range];
  const pointMs = spans[points];
  const progress = await findProgress(ctx, organizationId);
  if (progress === null) return { pointMs, points: [], subjects: [] };
  const [all, rows] = await Promise.all([
    bucketsOf(ctx, progress, subject === undefined ? "all" : by, points, until - ms),
    bucketsOf(ctx, progress, by, table, until - ms),
  ]);
  const merged = mergeSubjects(rows.map(({ subjects }) => subjects));
  return {
    pointMs,
    points: pointsOf(subject === undefined ? all : onlyOf(all, subject), pointMs),
    subjects: await Promise.all(
      merged.map(async ({ subject: each, tally }) => ({
        subject: each,
        name: await nameOf(ctx, organizationId, by, each),
        summary: summaryOfTally(tally),
      })),
    ),
  };
}

/** The buckets with nothing but one subject. */
function onlyOf(rows: readonly Doc<"statistics">[], wanted: string): Doc<"statistics">[] {
  return rows.map((row) => ({ ...row, subjects: row.subjects.filter(({ subject }) => subject === wanted) }));
}

function pointsOf(rows: readonly Doc<"statistics">[], pointMs: number) {
  const byPoint = new Map<number, Doc<"statistics">["subjects"][]>();
  for (const { startAt, subjects } of rows) {
    const point = bucketOf(startAt, pointMs);
    byPoint.set(point, [...(byPoint.get(point) ?? []), subjects]);
  }
  return [...byPoint]
    .sort(([a], [b]) => a - b)
    .flatMap(([startAt, lists]) =>
      mergeSubjects(lists).map(({ tally }) => ({ startAt, summary: summaryOfTally(tally) })),
    );
}

type Span = "short" | "hour" | "day";
/** More buckets than a range can have at each length. */
const mostBuckets: Readonly<Record<Span, number>> = { short: 60, hour: 200, day: 100 };

/**
 * The buckets of a length that begin between two moments, and shorter ones for the time that is not in such a bucket yet.
 */
export async function bucketsOf(
  ctx: QueryCtx,
  progress: Doc<"statisticsProgress">,
  by: SubjectKind,
  span: Span,
  since: number,
  before = Infinity,
): Promise<Doc<"statistics">[]> {
  const { organizationId, hoursTo, daysTo } = progress;
  const read = async (of: Span, from: number, to: number): Promise<Doc<"statistics">[]> =>
    await ctx.db
      .query("statistics")
      .withIndex("by_bucket", (q) =>
        q
          .eq("organizationId", organizationId)
          .eq("spanMs", spans[of])
          .eq("by", by)
          .gte("startAt", from)
          .lt("startAt", Math.min(to, before)),
      )
      .take(mostBuckets[of]);
  const from = bucketOf(since, spans[span]);
  const parts = {
    short: () => [read("short", from, Infinity)],
    hour: () => [read("hour", from, hoursTo), read("short", Math.max(from, hoursTo), Infinity)],
    day: () => [
      read("day", from, daysTo),
      read("hour", Math.max(from, daysTo), hoursTo),
      read("short", Math.max(from, hoursTo), Infinity),
    ],
  };
  return (await Promise.all(parts[span]())).flat();
}

/** The name of a subject; null for a lane, and if its row is gone. */
export async function nameOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  by: SubjectKind,
  subject: string,
): Promise<string | null> {
  if (subject === otherSubject || by === "lane" || by === "all") return null;
  if (by === "model" || by === "group") return visibleText(subject);
  const table = ({ key: "apiKeys", device: "devices", member: "members", team: "teams" } as const)[by];
  const id = ctx.db.normalizeId(table, subject);
  const row = id === null ? null : await ctx.db.get(table, id);
  return row?.organizationId === organizationId ? visibleText(row.name) : null;
}
