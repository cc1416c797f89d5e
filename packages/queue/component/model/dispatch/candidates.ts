import type { Rate } from "../../../shared/validators.ts";
import type { WorkerAnswer, WorkerCall } from "../../../shared/work.ts";
import { authenticate } from "../authenticate.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { idOf, inPieces, shuffled } from "../load.ts";
import { slotOf } from "../placement.ts";
import { prioritiesIn } from "../priority.ts";
import { refuse } from "../refuse.ts";
import { type Range, wakingArcs } from "../rings/arcs.ts";
import { subscriptionOf, waitersByKey } from "../rings/membership.ts";
import { following } from "../rings/neighbors.ts";
import { patienceMs } from "../speed.ts";
import { widenAtBacklog } from "../spreads/width.ts";
import { isAvoided } from "./avoid.ts";

const maxShown = 8;
const maxShownPerArc = 4;
/** The most jobs read in one arc and priority. The worker may have to avoid some of them. */
const maxRead = 16;
const maxSubscriptions = 128;
/** The number of lanes that are read in parallel. */
const lanesAtOnce = 16;

/**
 * The jobs that wake a waiting worker: those in its own arcs, even if they are in the home of a busy worker. `late`
 * jobs are in the next worker's arcs, or are prefetched by others. Reads in two stages: the worker, its positions and
 * their neighbors; then the arcs. Of other workers it reads only the two positions after each of its own, and it does
 * not read what the worker holds. So it runs again when a neighbor or a job in an arc changes, but not when the worker
 * is handed a job.
 * @param args.subscriptions the positions that the worker knows. Others take one more stage.
 */
export async function candidates(
  ctx: QueryCtx,
  args: WorkerCall<"candidates">,
): Promise<WorkerAnswer<"candidates">> {
  const { keyHash } = args;
  if (args.subscriptions.length > maxSubscriptions)
    refuse("invalid", `A call has at most ${String(maxSubscriptions)} waiting positions.`);
  const [worker, own, known] = await Promise.all([
    authenticate(ctx, keyHash),
    waitersByKey(ctx, keyHash),
    Promise.all(
      args.subscriptions.map(({ laneId, position }) => scanLane(ctx, idOf(ctx, "lanes", laneId), position)),
    ),
  ]);
  const subscriptions = own.map(subscriptionOf);
  if (worker.status !== "active") return { subscriptions, jobs: [] };
  // Only positions that still exist. A removed position wakes nobody.
  const waiting = await Promise.all(
    own.map(async ({ laneId, position }) => {
      const seen = known.find((lane) => lane?.laneId === laneId && lane.position === position);
      return seen ?? (await scanLane(ctx, laneId, position));
    }),
  );
  const found = await inPieces(waiting, lanesAtOnce, async (lane) => {
    if (lane?.open !== true) return [];
    const { laneId, priorities, position, after, rate } = lane;
    const arcs = wakingArcs(
      position,
      after.map((waiter) => waiter.position),
    );
    const reads = priorities.flatMap((priority) => [
      ...arcs.own.map((range) => jobsIn(ctx, worker, laneId, "ready", priority, range, false)),
      ...arcs.late.map((range) => jobsIn(ctx, worker, laneId, "ready", priority, range, true)),
      ...arcs.own.map((range) => jobsIn(ctx, worker, laneId, "prefetched", priority, range, true)),
    ]);
    const shown = (await Promise.all(reads)).flat();
    const ownRate = own.find((waiter) => waiter.laneId === laneId)?.rate;
    return shown.map((each) => ({ ...each, patience: patienceMs(each.job.size, ownRate, rate) }));
  });
  const all = found.flat();
  const jobs = all
    .sort((a, b) => Number(a.late) - Number(b.late) || a.job.level - b.job.level)
    .slice(0, maxShown)
    .map(({ job, late, patience }) => ({
      jobId: job._id,
      laneId: job.laneId,
      late,
      ...(patience === 0 ? {} : { patienceMs: patience }),
      ...(job.status === "prefetched" ? { held: true } : {}),
      ...(isBacklogged(job, all) ? { backlogged: true } : {}),
    }));
  return { subscriptions, jobs };
}

/** Whether more jobs of the affinity wait at this slot than one slot can hand out soon. */
function isBacklogged(job: Doc<"jobs">, among: readonly { readonly job: Doc<"jobs"> }[]): boolean {
  if (job.affinity === undefined) return false;
  const others = among.filter(
    ({ job: other }) =>
      other._id !== job._id &&
      other.status === "ready" &&
      other.laneId === job.laneId &&
      other.affinity === job.affinity &&
      slotOf(other.place) === slotOf(job.place),
  );
  return others.length >= widenAtBacklog;
}

type LaneScan = {
  readonly laneId: Id<"lanes">;
  readonly position: number;
  readonly open: boolean;
  readonly priorities: readonly number[];
  readonly rate: Rate | undefined;
  readonly after: Awaited<ReturnType<typeof following>>;
};

async function scanLane(
  ctx: QueryCtx,
  laneId: Id<"lanes"> | null,
  position: number,
): Promise<LaneScan | null> {
  if (laneId === null) return null;
  const [lane, after] = await Promise.all([
    ctx.db.get("lanes", laneId),
    following(ctx, "stands", laneId, position, 2),
  ]);
  const priorities = lane === null ? [] : prioritiesIn(lane);
  const open = lane !== null && lane.state !== "paused";
  return { laneId, position, open, priorities, rate: lane?.rate, after };
}

async function jobsIn(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  laneId: Id<"lanes">,
  status: "ready" | "prefetched",
  priority: number,
  { from, to }: Range,
  late: boolean,
): Promise<readonly { readonly job: Doc<"jobs">; readonly late: boolean }[]> {
  const found: { readonly job: Doc<"jobs">; readonly late: boolean }[] = [];
  let read = 0;
  const jobs = ctx.db
    .query("jobs")
    .withIndex("by_place", (q) =>
      q.eq("laneId", laneId).eq("status", status).eq("level", priority).gte("place", from).lt("place", to),
    )
    // From a random end, so that waiters also see old jobs. The home's worker takes those first.
    .order(Math.random() < 0.5 ? "asc" : "desc");
  for await (const job of jobs) {
    if (!(await isAvoided(ctx, job, worker))) found.push({ job, late });
    read += 1;
    if (found.length === maxShownPerArc || read === maxRead) break;
  }
  // The worker claims the first that it is shown. That should rarely be the job that the home's worker takes next.
  return shuffled(found);
}
