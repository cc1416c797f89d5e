import { laneView } from "@gleaner/queue/validators";
import { type Infer, v } from "convex/values";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { actorWordsOf } from "../audit.ts";
import { queue } from "../queue.ts";

/** A number of jobs now. Not exact: there are at least 100; `count` is then the last count, up to a minute old. */
export const countedJobs = v.object({ count: v.number(), exact: v.boolean() });
export type Counted = Infer<typeof countedJobs>;

export const queueDepth = v.object({
  ready: countedJobs,
  waiting: countedJobs,
  running: countedJobs,
  workers: v.object({ online: v.number(), accepting: v.number() }),
  lanes: v.array(
    v.object({
      ...laneView.fields,
      /** The name of whoever set the lane's state. */
      stateBy: v.union(v.string(), v.null()),
      ready: countedJobs,
      waiting: countedJobs,
      running: countedJobs,
    }),
  ),
});
export type QueueDepth = Infer<typeof queueDepth>;

type Counts = Pick<QueueDepth, Status>;
type LiveCounts = Awaited<ReturnType<typeof queue.liveCounts>>;
type Status = "ready" | "waiting" | "running";

/**
 * The organization's jobs that are not final, now: the one source of these numbers for the console and for /metrics. Up to 100
 * jobs of a status are counted exactly. Of more, the count of the last minute is the best one.
 */
export async function queueDepthOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<QueueDepth> {
  return await depthFrom(ctx, organizationId, await queue.liveCounts(ctx, organizationId));
}

/** The jobs of an API key that are not final, now. */
type KeyDepth = Counts & { readonly keyId: string };

/** The same numbers, and also those of the keys with most jobs. */
export async function queueDepthByKey(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<QueueDepth & { readonly keys: readonly KeyDepth[] }> {
  const [live, counted] = await Promise.all([
    queue.liveCounts(ctx, organizationId),
    queue.requesterCounts(ctx, organizationId),
  ]);
  const now = new Map(live.requesters.map((each) => [each.name, each]));
  const lastMinute = new Map(counted.map((each) => [each.name, each]));
  const keys = [...new Set([...now.keys(), ...lastMinute.keys()])].map((keyId): KeyDepth => {
    const of = (status: Status): Counted =>
      best(live[status], now.get(keyId)?.[status] ?? 0, lastMinute.get(keyId)?.[status] ?? 0);
    return { keyId, ready: of("ready"), waiting: of("waiting"), running: of("running") };
  });
  return { ...(await depthFrom(ctx, organizationId, live)), keys };
}

async function depthFrom(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  live: LiveCounts,
): Promise<QueueDepth> {
  const stats = await queue.stats(ctx, organizationId);
  const now = new Map(live.lanes.map((lane) => [lane.laneId, lane]));
  const total = (status: Status): Counted => best(live[status], live[status].count, stats[status]);
  return {
    ready: total("ready"),
    waiting: total("waiting"),
    running: total("running"),
    workers: stats.workers,
    lanes: await Promise.all(
      stats.lanes.map(async (lane) => {
        const of = (status: Status): Counted =>
          best(live[status], now.get(lane.laneId)?.[status] ?? 0, lane[status]);
        const ready = of("ready");
        return {
          ...lane,
          oldestReadyAt: now.get(lane.laneId)?.oldestReadyAt ?? (live.ready.more ? lane.oldestReadyAt : null),
          waits: ready.count === 0 ? null : lane.waits,
          stateBy: lane.stateBy === null ? null : await actorWordsOf(ctx, organizationId, lane.stateBy),
          ready,
          waiting: of("waiting"),
          running: of("running"),
        };
      }),
    ),
  };
}

function best({ more }: { readonly more: boolean }, live: number, lastMinute: number): Counted {
  return more ? { count: Math.max(live, lastMinute), exact: false } : { count: live, exact: true };
}
