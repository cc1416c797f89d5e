import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import type { NextWork, Stand, Wish } from "../../validators.ts";
import { boundedInteger, boundedNumber } from "../bounds.ts";
import { capacityOf } from "../capabilities.ts";
import { idOf } from "../load.ts";
import { ringSize, seats } from "../placement.ts";
import { addHomes, homesOf, removeWaiters, subscriptionOf, waitIn } from "../rings/membership.ts";
import { assign, type AssignableJob } from "./assign.ts";
import { Search } from "./search.ts";

/** What a worker gets next, as it was found: reads are behind it, writes before it. */
export type Plan = {
  readonly wanted: number;
  readonly found: readonly (AssignableJob & { readonly begun: boolean })[];
  readonly cursor: NextWork["cursor"];
  /**
   * Whether it would begin one more at once. Else it does not wait for one to hold ahead: that would go to it instead
   * of to one that is idle.
   */
  readonly idle: boolean;
  /** Where it will wait, since less was found than was wanted: in these lanes, or where it stands; null: nowhere. */
  readonly waits:
    | { readonly lanes: readonly Doc<"lanes">[]; readonly homes: readonly Doc<"homes">[] }
    | "where it stands"
    | null;
};

/** Refuses a wish that is out of bounds: the cursor comes back from the worker, and is none of its business. */
export function checkDemand({ jobs, cursor }: Wish): void {
  boundedInteger(jobs, "wish.jobs", 0, 1_000);
  if (cursor === undefined) return;
  boundedNumber(cursor.place, "wish.cursor.place", 0, ringSize * seats);
  boundedInteger(cursor.turn, "wish.cursor.turn", 0, Number.MAX_SAFE_INTEGER);
}

/** The lane that a worker is used to. One read, beside the worker's own. */
export async function stickyLane(ctx: QueryCtx, { cursor, jobs }: Wish): Promise<Doc<"lanes"> | null> {
  const id = jobs === 0 || cursor?.laneId == null ? null : idOf(ctx, "lanes", cursor.laneId);
  return id === null ? null : await ctx.db.get("lanes", id);
}

/**
 * Looks for what a worker wants next, as far as it may hold more. Reads only, so that it can go beside other reads.
 * @param held how many jobs it will hold without these.
 * @param rests whether it waits again without looking: it did before, and other workers are waiting, too. Looking would
 * collide with what they claim and with what is submitted; what is ready in its own arc is shown to it.
 * @param stands whether it waits somewhere: one that rests goes on there, and nothing is read for it.
 * @param joins whether it begins to ask: all is searched, and it will accept jobs of all lanes that it can run.
 */
export async function planNext(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  sticky: Doc<"lanes"> | null,
  wish: Wish,
  held: number,
  now: number,
  {
    joins = false,
    rests = false,
    stands = false,
  }: { readonly joins?: boolean; readonly rests?: boolean; readonly stands?: boolean } = {},
): Promise<Plan> {
  const search = new Search(ctx, worker, sticky, wish.cursor, now, joins);
  const capacity = capacityOf(worker.capabilities);
  const wanted = worker.status === "active" ? Math.max(0, Math.min(wish.jobs, capacity.held - held)) : 0;
  const rings = async () => {
    const [lanes, homes] = await Promise.all([search.matching(), homesOf(ctx, worker._id)]);
    return { lanes, homes };
  };
  const joining = joins && wanted > 0 ? rings() : null;
  const found: (AssignableJob & { readonly begun: boolean })[] = [];
  while (found.length < wanted && !rests) {
    // What is held ahead counts: it is begun before what comes now.
    const begun = held + found.length < capacity.running;
    const next = await search.next(begun);
    if (next === null) break;
    found.push({ ...next, begun });
  }
  const idle = held + found.length < capacity.running;
  const seeks = found.length < wanted && idle;
  const waits = joining ?? (!seeks ? null : rests && stands ? "where it stands" : rings());
  return { wanted, found, cursor: search.cursor, idle, waits: await waits };
}

/** Gives a worker what was found, or has it wait where it can run jobs. Writes. */
export async function applyPlan(
  ctx: MutationCtx,
  worker: Doc<"workers">,
  { wanted, found, cursor, idle, waits }: Plan,
  stands: readonly Doc<"stands">[],
  now: number,
): Promise<NextWork> {
  const jobs: NextWork["jobs"] = [];
  for (const { begun, ...givable } of found) jobs.push(await assign(ctx, worker, givable, { begun }, now));
  if (waits === "where it stands") return { jobs, stands: stands.map(subscriptionOf), cursor };
  if (waits !== null) await addHomes(ctx, worker, waits.lanes, waits.homes);
  let waiting: Stand[] = [];
  if (found.length < wanted && idle && waits !== null)
    waiting = await waitIn(ctx, worker, waits.lanes, stands);
  else await removeWaiters(ctx, stands);
  return { jobs, stands: waiting, cursor };
}
