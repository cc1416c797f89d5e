import { type Infer, v } from "convex/values";
import { requesterTally } from "../../../shared/validators.ts";
import type { Doc, QueryCtx } from "../builders.ts";
import { oldestReady } from "./ranges.ts";

/** Up to this number, jobs are counted exactly. */
const countedAtMost = 100;

const liveCount = v.object({ count: v.number(), more: v.boolean() });

export const liveCounts = v.object({
  /** `more`: there are at least `count`. */
  ready: liveCount,
  waiting: liveCount,
  /** Running and prefetched jobs. */
  running: liveCount,
  /** The counted jobs by lane. A lane without any is left out. */
  lanes: v.array(
    v.object({
      laneId: v.string(),
      ready: v.number(),
      waiting: v.number(),
      running: v.number(),
      /** When its oldest ready job became ready. Null if no ready job was counted. */
      oldestReadyAt: v.union(v.number(), v.null()),
    }),
  ),
  /** The counted jobs by requester. One without any is left out. */
  requesters: v.array(requesterTally),
});
export type LiveCounts = Infer<typeof liveCounts>;

/**
 * The jobs of a scope that are not final, now. Reads at most 300 of them, and the oldest ready one of each of their lanes. So
 * it runs again with each of those.
 */
export async function countLive(ctx: QueryCtx, scope: string): Promise<LiveCounts> {
  const [ready, waiting, held] = await Promise.all([
    firstJobs(ctx, scope, "ready", countedAtMost),
    firstJobs(ctx, scope, "waiting", countedAtMost),
    firstJobs(ctx, scope, "running", countedAtMost),
  ]);
  const prefetched = await firstJobs(ctx, scope, "prefetched", countedAtMost - held.length);
  const counted = { ready, waiting, running: [...held, ...prefetched] };
  const byLane = countBy(counted, ({ laneId }) => laneId);
  const oldest = await Promise.all(
    [...new Set(ready.map(({ laneId }) => laneId))].map((laneId) => oldestReady(ctx, laneId)),
  );
  const oldestOf = new Map<string, number | null>(oldest.map(({ laneId, readyAt }) => [laneId, readyAt]));
  const byRequester = countBy(counted, ({ requester }) => requester);
  return {
    ready: countOf(counted.ready),
    waiting: countOf(counted.waiting),
    running: countOf(counted.running),
    lanes: [...byLane].map(([laneId, counts]) => ({
      laneId,
      ...counts,
      oldestReadyAt: oldestOf.get(laneId) ?? null,
    })),
    requesters: [...byRequester].map(([name, counts]) => ({ name, ...counts })),
  };
}

type ByStatus<T> = { ready: T; waiting: T; running: T };

/** The number of jobs of each name. Jobs without one are left out. */
function countBy(
  jobs: ByStatus<readonly Doc<"jobs">[]>,
  nameOf: (job: Doc<"jobs">) => string | undefined,
): ReadonlyMap<string, ByStatus<number>> {
  const by = new Map<string, ByStatus<number>>();
  for (const status of ["ready", "waiting", "running"] as const) {
    for (const job of jobs[status]) {
      const name = nameOf(job);
      if (name === undefined) continue;
      const counts = by.get(name) ?? { ready: 0, waiting: 0, running: 0 };
      counts[status] += 1;
      by.set(name, counts);
    }
  }
  return by;
}

async function firstJobs(
  ctx: QueryCtx,
  scope: string,
  status: Doc<"jobs">["status"],
  most: number,
): Promise<Doc<"jobs">[]> {
  if (most === 0) return [];
  return await ctx.db
    .query("jobs")
    .withIndex("by_status", (q) => q.eq("scope", scope).eq("status", status))
    .take(most);
}

function countOf({ length }: readonly unknown[]): Infer<typeof liveCount> {
  return { count: length, more: length === countedAtMost };
}
