import type { Doc, Id, QueryCtx } from "../builders.ts";
import { type Busy, jobMsOf, type LanePace } from "./waits.ts";

/** The workers of a lane that are looked at, and how many tries of each. They fit into one query for four lanes. */
const sampledWorkers = 24;
const triesOfWorker = 8;
/** More workers than this are not counted. The lane's slots tell about how many there are. */
const countedWorkers = 64;

/** How fast the workers of some lanes are. */
export async function pacesOf(
  ctx: QueryCtx,
  laneIds: readonly Id<"lanes">[],
  now: number,
): Promise<LanePace[]> {
  const paces = await Promise.all(laneIds.map((laneId) => paceOf(ctx, laneId, now)));
  return paces.flatMap((pace) => pace ?? []);
}

async function paceOf(ctx: QueryCtx, laneId: Id<"lanes">, now: number): Promise<LanePace | null> {
  const [lane, homes] = await Promise.all([
    ctx.db.get("lanes", laneId),
    ctx.db
      .query("homes")
      .withIndex("by_lane", (q) => q.eq("laneId", laneId))
      .take(countedWorkers + 1),
  ]);
  if (lane === null) return null;
  const sampled = homes.slice(0, sampledWorkers);
  const tries = await Promise.all(
    sampled.map(({ workerId }) =>
      ctx.db
        .query("attempts")
        .withIndex("by_worker", (q) => q.eq("workerId", workerId))
        .order("desc")
        .take(triesOfWorker),
    ),
  );
  const ofLane = tries.map((each) => each.filter((attempt) => attempt.laneId === laneId));
  const busy = (each: readonly Doc<"attempts">[]): Busy[] => each.flatMap((one) => busyIn(one, now) ?? []);
  return {
    laneId,
    // A lane has as many slots as workers, rounded down to a power of two.
    workers: homes.length <= countedWorkers ? homes.length : Math.max(countedWorkers, lane.slots * 1.5),
    sampled: sampled.map(({ workerId, position }) => ({ workerId, position })),
    // Until enough jobs of the lane have ended, its workers' other jobs tell how fast they are.
    jobMs: jobMsOf(ofLane.map(busy)) ?? jobMsOf(tries.map(busy)),
  };
}

/** Null for a job that its worker holds and has not begun, or was never begun. */
function busyIn(attempt: Doc<"attempts">, now: number): Busy | null {
  const { status, claimedAt, startedAt, endedAt, woken } = attempt;
  // A woken worker begins at once, and reports that only if the job lasts.
  const hasBegun =
    startedAt !== undefined || status === "running" || status === "succeeded" || woken === true;
  if (!hasBegun || status === "prefetched") return null;
  const succeeded = status === "succeeded";
  return { from: woken === true ? claimedAt : (startedAt ?? claimedAt), to: endedAt ?? now, succeeded };
}
