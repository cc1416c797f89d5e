import { type Infer, v } from "convex/values";
import { bucketOf, ranges, spans } from "../../../app/statistics/spans.ts";
import { otherSubject } from "../../../app/statistics/tally.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { ActionCtx, MutationCtx, QueryCtx } from "../../_generated/server.js";
import { depthKind, type depthSample } from "../validators/statistics.ts";
import { type QueueDepth, queueDepthByKey } from "./queueDepth.ts";

/*
 * The depth of the queue over time. Once a minute the jobs that have not ended are counted and stored: of all jobs, and of the
 * lanes, models and keys that have the most of them. The others are added up.
 */

/** Lanes, models and keys that are told apart. Of each, one more row has the others. */
const mostSubjects = 10;
const keptMs = 8 * spans.day;
/** No hour writes more rows than are deleted at its beginning. */
const perSweep = 3 * (mostSubjects + 1) + 1;

type Sample = Infer<typeof depthSample>;
type Kind = Infer<typeof depthKind>;

/** The jobs of a subject now. A lane goes by its name, as in the statistics. The subject of all jobs, and of all others, is "". */
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
  const { depthNow, addDepth } = internal.fleet.steps;
  const depths: Depth[] = await ctx.runQuery(depthNow, { organizationId });
  await ctx.runMutation(addDepth, { organizationId, depths });
}

export async function readDepth(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Depth[]> {
  const { ready, waiting, running, lanes, keys } = await queueDepthByKey(ctx, organizationId);
  const all: Depth = { by: "all", subject: "", ...countsOf({ ready, waiting, running }) };
  const byLane = lanes.map((lane): Depth => ({ by: "lane", subject: lane.name, ...countsOf(lane) }));
  const byModel = lanes.map((lane): Depth => {
    const { model = "" } = lane.requirements;
    return { by: "model", subject: model, ...countsOf(lane) };
  });
  const byKey = keys.map((key): Depth => ({ by: "key", subject: key.keyId, ...countsOf(key) }));
  return [all, ...[byLane, sumOfModels(byModel), byKey].flatMap((depths) => deepest(depths, all))];
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

/** Those with most jobs, and the sum of the others. */
function deepest(depths: readonly Depth[], all: Depth): Depth[] {
  const most = depths
    .filter((depth) => sizeOf(depth) > 0)
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, mostSubjects);
  const [first] = most;
  if (first === undefined) return [];
  const left = (status: "ready" | "waiting" | "running"): number =>
    Math.max(0, all[status] - most.reduce((sum, depth) => sum + depth[status], 0));
  const others = { ready: left("ready"), waiting: left("waiting"), running: left("running") };
  const rest: Depth = { by: first.by, subject: otherSubject, ...others };
  return sizeOf(rest) === 0 ? most : [...most, rest];
}

function sizeOf({ ready, waiting, running }: Depth): number {
  return ready + waiting + running;
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
