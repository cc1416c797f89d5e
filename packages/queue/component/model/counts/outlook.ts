import { type Infer, v } from "convex/values";
import type { Doc, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";
import { priorities } from "../priority.ts";
import { estimateCount } from "./ranges.ts";

/** How a job's wait looks now. */
export const outlook = v.object({
  /**
   * How many ready jobs of its lane come before it; null if it waits for something else than a worker. Requesters take turns,
   * so the order is not exact.
   */
  ahead: v.union(v.object({ jobs: v.number(), exact: v.boolean() }), v.null()),
  /** How long the workers take for those jobs, in ms, by the count of the last minutes. Null: unknown. */
  expectedMs: v.union(v.number(), v.null()),
  /** The workers that accept the lane's jobs, busy ones included. An estimate beyond 64. */
  workers: v.number(),
});
export type Outlook = Infer<typeof outlook>;

/** The jobs of each priority that are looked at. Beyond this number, the place has an error of about a fifth. */
const sampledJobs = 32;
const countedWorkers = 64;
/** An older count says nothing about the present. */
const countKeptMs = 180_000;

/**
 * How a job's wait looks. Null if a worker has it, or if it has ended. Reads at most 96 jobs and 65 workers' rows, however many
 * wait: sample keys are random, so the jobs with the smallest ones are a fair sample.
 */
export async function outlookOf(ctx: QueryCtx, job: Doc<"jobs">, now: number): Promise<Outlook | null> {
  if (job.status !== "ready" && job.status !== "waiting") return null;
  const { laneId, level } = job;
  const [lane, counted, homes] = await Promise.all([
    ctx.db.get("lanes", laneId),
    firstOf(ctx.db.query("laneCounts").withIndex("by_lane", (q) => q.eq("laneId", laneId))),
    ctx.db
      .query("homes")
      .withIndex("by_lane", (q) => q.eq("laneId", laneId))
      .take(countedWorkers + 1),
  ]);
  // A lane has as many slots as workers, rounded down to a power of two.
  const workers =
    homes.length <= countedWorkers ? homes.length : Math.max(countedWorkers, (lane?.slots ?? 0) * 1.5);
  if (job.status === "waiting") return { ahead: null, expectedMs: null, workers };
  const { ahead, queued, exact } = await placeOf(ctx, job);
  // The wait of a lane that was empty is that for the jobs of other lanes, of which a place in this one tells nothing.
  const isRecent = counted !== null && counted.ready > 0 && now - counted.countedAt <= countKeptMs;
  const lastWait = isRecent ? (counted.waits?.[level] ?? null) : null;
  const expectedMs = workers === 0 || lastWait === null ? null : Math.round((lastWait * ahead) / queued);
  return { ahead: { jobs: ahead, exact }, expectedMs, workers };
}

/** The ready jobs that come before a job, and all of its priority and higher ones, itself included. */
async function placeOf(ctx: QueryCtx, job: Doc<"jobs">) {
  const levels = priorities.filter((level) => level <= job.level);
  const samples = await Promise.all(
    levels.map((level) =>
      ctx.db
        .query("jobs")
        .withIndex("by_dice", (q) => q.eq("laneId", job.laneId).eq("status", "ready").eq("level", level))
        .take(sampledJobs),
    ),
  );
  const counts = samples.map((sample) => {
    const queued = estimateCount(
      sample.map(({ dice }) => dice),
      sampledJobs,
    );
    const before = sample.filter((other) => comesBefore(other, job)).length;
    return { queued, ahead: sample.length === 0 ? 0 : (queued * before) / sample.length };
  });
  const sum = (of: "queued" | "ahead"): number => counts.reduce((total, count) => total + count[of], 0);
  return {
    ahead: Math.round(sum("ahead")),
    queued: Math.max(1, sum("queued")),
    exact: samples.every((sample) => sample.length < sampledJobs),
  };
}

/** By the time at which they became ready. Jobs of one call have ranks; others of one moment their time of creation. */
function comesBefore(other: Doc<"jobs">, job: Doc<"jobs">): boolean {
  if (other.level !== job.level) return other.level < job.level;
  const order = [(other.readyAt ?? 0) - (job.readyAt ?? 0), other.rank - job.rank];
  return (order.find((difference) => difference !== 0) ?? other._creationTime - job._creationTime) < 0;
}
