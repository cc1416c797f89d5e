import type { LimitedBy } from "../../../shared/validators.ts";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { move } from "../jobs/move.ts";
import { limitOf } from "../jobs/turns.ts";
import { priorityOrder } from "../priority.ts";
import { maintenance } from "../references.ts";

/** The most jobs that one call looks at. */
const piece = 100;
/** A call that has counted this many rows leaves further names to the next call. */
const countedAtMost = 1_000;

/**
 * Gives turns to jobs in the line of a requester or key while it has capacity. If a job's other name is full, the job
 * moves to that name's line. So every line is read from its front, and a job always waits for a limit that is full or is
 * being processed. Schedules itself for the rest.
 */
export async function admit(ctx: MutationCtx, limited: LimitedName, now: number): Promise<void> {
  const draw = Math.random();
  const own = await limitCapacity(ctx, limited);
  const others = new OtherCapacities(ctx, own.counted);
  let { room } = own;
  let left = piece;
  while (room > 0 && left > 0) {
    const most = Math.min(room, left);
    const jobs = await nextInLine(ctx, limited, most, draw);
    for (const job of jobs) {
      const outcome = await admitOne(ctx, job, limited.of, others, now);
      if (outcome === "uncounted") {
        await ctx.scheduler.runAfter(0, maintenance.admit, { ...limited });
        return;
      }
      if (outcome === "admitted") room -= 1;
    }
    // Fewer than requested: the line is empty.
    if (jobs.length < most) return;
    left -= jobs.length;
  }
  if (room > 0) await ctx.scheduler.runAfter(0, maintenance.admit, { ...limited });
}

/**
 * The free capacity of the jobs' other names: the keys of a requester's jobs, or the requesters of a key's jobs. A call
 * counts each name once, and at least one name, so that every call makes progress.
 */
class OtherCapacities {
  readonly #ctx: MutationCtx;
  readonly #rooms = new Map<string, number>();
  #counted: number;

  constructor(ctx: MutationCtx, counted: number) {
    this.#ctx = ctx;
    this.#counted = counted;
  }

  /** Takes one turn of the name. Null: this call has counted enough rows, and the name is not among them. */
  async take(other: LimitedName): Promise<boolean | null> {
    const { name } = other;
    let room = this.#rooms.get(name);
    if (room === undefined) {
      if (this.#counted >= countedAtMost && this.#rooms.size > 0) return null;
      const found = await limitCapacity(this.#ctx, other);
      this.#counted += found.counted;
      room = found.room;
    }
    this.#rooms.set(name, Math.max(0, room - 1));
    return room > 0;
  }
}

/** Gives the job its turn, or moves it to the line of its other name. "uncounted": nothing was done. */
async function admitOne(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  of: LimitedBy,
  others: OtherCapacities,
  now: number,
): Promise<"admitted" | "elsewhere" | "uncounted"> {
  const other = of === "requester" ? "key" : "requester";
  const name = job[other];
  const taken = name === undefined || (await others.take({ scope: job.scope, of: other, name }));
  if (taken === null) return "uncounted";
  if (taken) {
    await move(ctx, job, { kind: "wake" }, now);
    return "admitted";
  }
  await ctx.db.patch("jobs", job._id, { turnOf: other });
  return "elsewhere";
}

export type LimitedName = { readonly scope: string; readonly of: LimitedBy; readonly name: string };

/** Counts the jobs of a requester or key that have a turn. Reads at most `most` rows. */
async function countTurns(ctx: QueryCtx, limited: LimitedName, most: number): Promise<number> {
  let held = 0;
  for (const status of ["ready", "prefetched", "running"] as const) {
    if (held < most) held += (await inStatus(ctx, limited, status).take(most - held)).length;
  }
  return held;
}

function inStatus(
  ctx: QueryCtx,
  { scope, of, name }: LimitedName,
  status: "ready" | "prefetched" | "running",
) {
  const jobs = ctx.db.query("jobs");
  return of === "requester"
    ? jobs.withIndex("by_requester", (q) => q.eq("scope", scope).eq("requester", name).eq("status", status))
    : jobs.withIndex("by_key", (q) => q.eq("scope", scope).eq("key", name).eq("status", status));
}

export type Capacity = {
  /** The number of turns that are left: Infinity without a limit, never below 0. */
  readonly room: number;
  /** The rows that were counted; at most the limit. */
  readonly counted: number;
};

async function limitCapacity(ctx: QueryCtx, limited: LimitedName): Promise<Capacity> {
  const limit = await limitOf(ctx, limited.scope, limited.of, limited.name);
  const most = limit?.concurrency;
  if (most === undefined) return { room: Infinity, counted: 0 };
  // With a limit of 0 there is nothing to count.
  const held = most === 0 ? 0 : await countTurns(ctx, limited, most);
  return { room: most - held, counted: held };
}

/** The orders of the priorities repeat after this many turns. */
const turns = 16;

/**
 * The next jobs in the name's line: by priority, then by submission. As for workers, one time in eight a lower priority
 * comes first, so that it does not starve.
 * @param draw in [0, 1): chooses the turn.
 */
async function nextInLine(
  ctx: QueryCtx,
  limited: LimitedName,
  most: number,
  draw: number,
): Promise<Doc<"jobs">[]> {
  const order = priorityOrder(Math.floor(draw * turns));
  if (order[0] === 0) return await lineOf(ctx, limited).take(most);
  const found: Doc<"jobs">[] = [];
  for (const priority of order) {
    if (found.length < most) found.push(...(await lineOf(ctx, limited, priority).take(most - found.length)));
  }
  return found;
}

function lineOf(ctx: QueryCtx, { scope, of, name }: LimitedName, priority?: number) {
  const jobs = ctx.db.query("jobs");
  if (of === "requester") {
    return jobs.withIndex("by_requester_turn", (q) => {
      const line = q.eq("scope", scope).eq("turnOf", "requester").eq("requester", name);
      return priority === undefined ? line : line.eq("level", priority);
    });
  }
  return jobs.withIndex("by_key_turn", (q) => {
    const line = q.eq("scope", scope).eq("turnOf", "key").eq("key", name);
    return priority === undefined ? line : line.eq("level", priority);
  });
}
