import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { type LimitedBy, limitOf } from "../jobs/turns.ts";
import { priorityOrder } from "../priority.ts";
import { maintenance } from "../references.ts";

/** Jobs that one call looks at. */
const piece = 100;
/** After so many rows counted, for its own name and others, a call counts for no further name: the next one does. */
const countedAtMost = 1_000;

/**
 * Gives turns to those in line for the name, while it has room. Whoever is also limited under its other name, and
 * finds that one full, goes over to that one's line: so a line is looked at from its front, and a job waits in the line
 * of a name that is full, or that is being admitted from. What is left after a piece, a next call does.
 */
export async function admit(ctx: MutationCtx, limited: LimitedName, now: number): Promise<void> {
  const dice = Math.random();
  const own = await capacityOf(ctx, limited);
  const others = new OtherCapacities(ctx, own.counted);
  let { room } = own;
  let left = piece;
  while (room > 0 && left > 0) {
    const most = Math.min(room, left);
    const jobs = await nextInLine(ctx, limited, most, dice);
    for (const job of jobs) {
      const outcome = await admitOne(ctx, job, limited.of, others, now);
      if (outcome === "uncounted") {
        await ctx.scheduler.runAfter(0, maintenance.admit, { ...limited });
        return;
      }
      if (outcome === "admitted") room -= 1;
    }
    // Fewer than were asked for: the line is empty.
    if (jobs.length < most) return;
    left -= jobs.length;
  }
  if (room > 0) await ctx.scheduler.runAfter(0, maintenance.admit, { ...limited });
}

/** The rooms of other names, each counted once, and at least one in each call: so that each comes further. */
class OtherCapacities {
  readonly #ctx: MutationCtx;
  readonly #rooms = new Map<string, number>();
  #counted: number;

  constructor(ctx: MutationCtx, counted: number) {
    this.#ctx = ctx;
    this.#counted = counted;
  }

  /** Takes one place of its room. Null: it would have to be counted, and enough was. */
  async take(other: LimitedName): Promise<boolean | null> {
    const { name } = other;
    let room = this.#rooms.get(name);
    if (room === undefined) {
      if (this.#counted >= countedAtMost && this.#rooms.size > 0) return null;
      const found = await capacityOf(this.#ctx, other);
      this.#counted += found.counted;
      room = found.room;
    }
    this.#rooms.set(name, Math.max(0, room - 1));
    return room > 0;
  }
}

/** Whether it has its turn; else it stands in its other name's line now, or nothing is done yet. */
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

/** Jobs of the name that have their turn, counted up to `most`. Reads no more rows than that. */
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
  /** How many more jobs of the name may have their turn: Infinity where it is not limited, never below 0. */
  readonly room: number;
  /** Rows that were counted for it: at most the limit. */
  readonly counted: number;
};

async function capacityOf(ctx: QueryCtx, limited: LimitedName): Promise<Capacity> {
  const limit = await limitOf(ctx, limited.scope, limited.of, limited.name);
  const most = limit?.concurrency;
  if (most === undefined) return { room: Infinity, counted: 0 };
  // A limit of none needs no count, and nothing can be taken of it.
  const held = most === 0 ? 0 : await countTurns(ctx, limited, most);
  return { room: most - held, counted: held };
}

/** The orders of the levels repeat after so many turns. */
const turns = 16;

/**
 * Those that wait for a turn of the name, the next first: by level, within it in the order of submission; and as for
 * workers, one time in eight a lower level first, so that none starves behind a stream of high ones.
 * @param dice in [0, 1): decides which time it is.
 */
async function nextInLine(
  ctx: QueryCtx,
  limited: LimitedName,
  most: number,
  dice: number,
): Promise<Doc<"jobs">[]> {
  const order = priorityOrder(Math.floor(dice * turns));
  if (order[0] === 0) return await lineOf(ctx, limited).take(most);
  const found: Doc<"jobs">[] = [];
  for (const level of order) {
    if (found.length < most) found.push(...(await lineOf(ctx, limited, level).take(most - found.length)));
  }
  return found;
}

function lineOf(ctx: QueryCtx, { scope, of, name }: LimitedName, level?: number) {
  const jobs = ctx.db.query("jobs");
  if (of === "requester") {
    return jobs.withIndex("by_requester_turn", (q) => {
      const line = q.eq("scope", scope).eq("turnOf", "requester").eq("requester", name);
      return level === undefined ? line : line.eq("level", level);
    });
  }
  return jobs.withIndex("by_key_turn", (q) => {
    const line = q.eq("scope", scope).eq("turnOf", "key").eq("key", name);
    return level === undefined ? line : line.eq("level", level);
  });
}
