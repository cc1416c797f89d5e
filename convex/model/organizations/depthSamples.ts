import { type Infer, v } from "convex/values";
import { bucketOf, ranges, spans } from "../../../app/statistics/spans.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { ActionCtx, MutationCtx, QueryCtx } from "../../_generated/server.js";
import { depthKind, type depthSample } from "../validators.ts";
import { type QueueDepth, queueDepthOf } from "./queueDepth.ts";

/*
 * The depth of the queue over time. Once a minute the jobs that have not ended are counted and stored: of all jobs, and of the
 * lanes and models that have the most of them.
 */

/** Rows that are written a minute are at most one of all jobs, and so many of lanes and of models. */
const mostSubjects = 10;
const keptMs = 8 * spans.day;
/** No hour writes more rows than are deleted at its beginning. */
const perSweep = 2 * mostSubjects + 1;

type Sample = Infer<typeof depthSample>;
type Kind = Infer<typeof depthKind>;

/** The jobs of a subject now. The subject of all jobs is "". */
export const depthOf = v.object({
  by: depthKind,
  subject: v.string(),
  ready: v.number(),
  waiting: v.number(),
  running: v.number(),
});
type Depth = Infer<typeof depthOf>;

/** An action, because a mutation that counts the queue would conflict with each job. */
export async function followDepth(ctx: ActionCtx, organizationId: Id<"organizations">): Promise<void> {
  const { depthNow, addDepth } = internal.maintenance;
  const depths: Depth[] = await ctx.runQuery(depthNow, { organizationId });
  await ctx.runMutation(addDepth, { organizationId, depths });
}

export async function readDepth(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Depth[]> {
  const { ready, waiting, running, lanes } = await queueDepthOf(ctx, organizationId);
  const all: Depth = { by: "all", subject: "", ...countsOf({ ready, waiting, running }) };
  const byLane = lanes.map((lane): Depth => ({ by: "lane", subject: lane.laneId, ...countsOf(lane) }));
  const byModel = lanes.map((lane): Depth => {
    const { model = "" } = lane.requirements;
    return { by: "model", subject: model, ...countsOf(lane) };
  });
  return [all, ...deepest(byLane), ...deepest(sumOfModels(byModel))];
}

type Counts = Pick<QueueDepth, "ready" | "waiting" | "running">;

function countsOf({ ready, waiting, running }: Counts): Omit<Depth, "by" | "subject"> {
  return { ready: ready.count, waiting: waiting.count, running: running.count };
}

function sumOfModels(depths: readonly Depth[]): Depth[] {
  const sums = new Map<string, Depth>();
  for (const depth of depths) {
    if (depth.subject === "") continue;
    const { ready = 0, waiting = 0, running = 0 } = sums.get(depth.subject) ?? {};
    sums.set(depth.subject, {
      ...depth,
      ready: ready + depth.ready,
      waiting: waiting + depth.waiting,
      running: running + depth.running,
    });
  }
  return [...sums.values()];
}

function deepest(depths: readonly Depth[]): Depth[] {
  const size = ({ ready, waiting, running }: Depth): number => ready + waiting + running;
  return depths
    .filter((depth) => size(depth) > 0)
    .sort((a, b) => size(b) - size(a))
    .slice(0, mostSubjects);
}

export async function storeDepth(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  depths: readonly Depth[],
  at: number,
): Promise<void> {
  const startAt = bucketOf(at, spans.hour);
  for (const { by, subject, ...counts } of depths) {
    const row = await rowOf(ctx, organizationId, by, subject, startAt);
    const sample = { at, ...counts };
    if (row !== null) {
      await ctx.db.patch("queueDepths", row._id, { samples: [...row.samples, sample] });
      continue;
    }
    await ctx.db.insert("queueDepths", { organizationId, by, subject, startAt, samples: [sample] });
    if (by === "all") await sweep(ctx, organizationId, startAt - keptMs);
  }
}

async function sweep(ctx: MutationCtx, organizationId: Id<"organizations">, before: number): Promise<void> {
  const old = await ctx.db
    .query("queueDepths")
    .withIndex("by_start", (q) => q.eq("organizationId", organizationId).lt("startAt", before))
    .take(10 * perSweep);
  for (const { _id } of old) await ctx.db.delete("queueDepths", _id);
}

async function rowOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  by: Kind,
  subject: string,
  startAt: number,
): Promise<Doc<"queueDepths"> | null> {
  return await ctx.db
    .query("queueDepths")
    .withIndex("by_subject", (q) =>
      q.eq("organizationId", organizationId).eq("by", by).eq("subject", subject).eq("startAt", startAt),
    )
    .unique();
}

export const depthRanges = ["hour", "day", "week"] as const;

/** Longer times are shown by fewer points. Null: every sample. */
const pointMs = { hour: null, day: spans.short, week: spans.hour } as const;

type Wanted = {
  readonly by: Kind;
  readonly subject: string;
  readonly range: (typeof depthRanges)[number];
  readonly until: number;
};

/** The samples of a time, in order. At moments without a sample of a lane or a model, it had no jobs. */
export async function depthsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { by, subject, range, until }: Wanted,
): Promise<Sample[]> {
  const since = until - ranges[range].ms;
  const rows = await rowsSince(ctx, organizationId, by, subject, since);
  const samples = rows.flatMap((row) => row.samples).filter(({ at }) => at >= since);
  const spanMs = pointMs[range];
  return spanMs === null ? samples : highest(samples, spanMs);
}

async function rowsSince(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  by: Kind,
  subject: string,
  since: number,
): Promise<Doc<"queueDepths">[]> {
  return await ctx.db
    .query("queueDepths")
    .withIndex("by_subject", (q) =>
      q
        .eq("organizationId", organizationId)
        .eq("by", by)
        .eq("subject", subject)
        .gte("startAt", bucketOf(since, spans.hour)),
    )
    .take(200);
}

/** The highest numbers of each span of time. */
function highest(samples: readonly Sample[], spanMs: number): Sample[] {
  const bySpan = new Map<number, Sample>();
  for (const { at: moment, ...sample } of samples) {
    const at = bucketOf(moment, spanMs);
    const known = bySpan.get(at) ?? { ready: 0, waiting: 0, running: 0 };
    bySpan.set(at, {
      at,
      ready: Math.max(known.ready, sample.ready),
      waiting: Math.max(known.waiting, sample.waiting),
      running: Math.max(known.running, sample.running),
    });
  }
  return [...bySpan.values()];
}
