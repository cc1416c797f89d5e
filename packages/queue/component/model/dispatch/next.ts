import type { Demand, NextWork, WaitSubscription } from "../../../shared/validators.ts";
import { boundedInteger, boundedNumber } from "../bounds.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { capacityOf } from "../capabilities.ts";
import { idOf } from "../load.ts";
import { ringSize, seats } from "../placement.ts";
import { addHomes, homesOf, removeWaiters, subscriptionOf, waitIn } from "../rings/membership.ts";
import { heldLimit } from "../workers/allowed.ts";
import { assign } from "./assign.ts";
import { type FoundJob, Search } from "./search.ts";

/** The next jobs of a worker, after all reads and before any write. */
export type Plan = {
  readonly wanted: number;
  readonly found: readonly (FoundJob & { readonly begun: boolean })[];
  readonly cursor: NextWork["cursor"];
  /**
   * Whether the worker could start one more job. If not, it does not wait for one to prefetch, because an idle worker
   * should get that.
   */
  readonly idle: boolean;
  /** If it found too few jobs, the worker waits in these lanes, or at its current positions; null: nowhere. */
  readonly waits:
    | { readonly lanes: readonly Doc<"lanes">[]; readonly homes: readonly Doc<"homes">[] }
    | "same positions"
    | null;
};

/** Checks a worker's demand. The cursor comes back from the worker and cannot be trusted. Refuses: invalid. */
export function checkDemand({ jobs, cursor }: Demand): void {
  boundedInteger(jobs, "demand.jobs", 0, 1_000);
  if (cursor === undefined) return;
  boundedNumber(cursor.place, "demand.cursor.place", 0, ringSize * seats);
  boundedInteger(cursor.turn, "demand.cursor.turn", 0, Number.MAX_SAFE_INTEGER);
}

/** The lane that the worker used last. One read, in parallel with the worker's row. */
export async function stickyLane(ctx: QueryCtx, { cursor, jobs }: Demand): Promise<Doc<"lanes"> | null> {
  const id = jobs === 0 || cursor?.laneId == null ? null : idOf(ctx, "lanes", cursor.laneId);
  return id === null ? null : await ctx.db.get("lanes", id);
}

/**
 * Finds the next jobs of a worker, up to what it may hold. Only reads, so it can run in parallel with other reads.
 * @param held the number of jobs that the worker holds besides these.
 * @param skipsSearch whether the worker waits again without a search. It waited before, so other workers wait, too, and
 * a search would conflict with their claims and with submissions. Jobs in its own arc are shown to it.
 * @param isWaiting whether the worker waits somewhere. If it skips the search, it stays there without a read.
 * @param joins whether the worker starts to ask for jobs. It then searches further, and will accept jobs of all lanes
 * that it can run.
 */
export async function planNext(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  sticky: Doc<"lanes"> | null,
  demand: Demand,
  held: number,
  now: number,
  {
    joins = false,
    skipsSearch = false,
    isWaiting = false,
  }: { readonly joins?: boolean; readonly skipsSearch?: boolean; readonly isWaiting?: boolean } = {},
): Promise<Plan> {
  const search = new Search(ctx, worker, sticky, demand.cursor, now, joins);
  const capacity = capacityOf(worker.capabilities);
  const wanted = worker.status === "active" ? Math.max(0, Math.min(demand.jobs, capacity.held - held)) : 0;
  const rings = async () => {
    const [lanes, homes] = await Promise.all([search.matching(), homesOf(ctx, worker._id)]);
    return { lanes, homes };
  };
  const joining = joins && wanted > 0 ? rings() : null;
  const found: (FoundJob & { readonly begun: boolean })[] = [];
  while (found.length < wanted && !skipsSearch) {
    // Prefetched jobs count: the worker starts them before any new job.
    const begun = held + found.length < capacity.running;
    const next = await search.next(begun);
    if (next === null) break;
    found.push({ ...next, begun });
  }
  const idle = held + found.length < capacity.running;
  const seeks = found.length < wanted && idle;
  const waits = joining ?? (!seeks ? null : skipsSearch && isWaiting ? "same positions" : rings());
  return { wanted, found, cursor: search.cursor, idle, waits: await waits };
}

/** Assigns the planned jobs, or has the worker wait. Writes. */
export async function applyPlan(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  { wanted, found, cursor, idle, waits }: Plan,
  waiters: readonly Doc<"stands">[],
  now: number,
): Promise<NextWork> {
  const jobs: NextWork["jobs"] = [];
  for (const { begun, isSteal, ...job } of found)
    jobs.push(await assign(ctx, worker, job, { begun, isSteal }, now));
  const limit = heldLimit(worker);
  if (waits === "same positions")
    return { jobs, subscriptions: waiters.map(subscriptionOf), cursor, ...limit };
  if (waits !== null) await addHomes(ctx, worker, waits.lanes, waits.homes);
  let waiting: WaitSubscription[] = [];
  if (found.length < wanted && idle && waits !== null)
    waiting = await waitIn(ctx, worker, waits.lanes, waiters);
  else await removeWaiters(ctx, waiters);
  return { jobs, subscriptions: waiting, cursor, ...limit };
}
