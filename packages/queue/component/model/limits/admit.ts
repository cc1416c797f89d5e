import type { Doc, MutationCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import type { LimitedBy } from "../jobs/turns.ts";
import { maintenance } from "../references.ts";
import type { Limited } from "./held.ts";
import { nextInLine } from "./line.ts";
import { roomOf } from "./room.ts";

/** Jobs that one call looks at. */
const piece = 100;
/** After so many rows counted, for its own name and others, a call counts for no further name: the next one does. */
const countedAtMost = 1_000;

/**
 * Gives turns to those in line for the name, while it has room. Whoever is also limited under its other name, and
 * finds that one full, goes over to that one's line: so a line is looked at from its front, and a job waits in the line
 * of a name that is full, or that is being admitted from. What is left after a piece, a next call does.
 */
export async function admit(ctx: MutationCtx, limited: Limited, now: number): Promise<void> {
  const dice = Math.random();
  const own = await roomOf(ctx, limited);
  const others = new OtherRooms(ctx, own.counted);
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
class OtherRooms {
  readonly #ctx: MutationCtx;
  readonly #rooms = new Map<string, number>();
  #counted: number;

  constructor(ctx: MutationCtx, counted: number) {
    this.#ctx = ctx;
    this.#counted = counted;
  }

  /** Takes one place of its room. Null: it would have to be counted, and enough was. */
  async take(other: Limited): Promise<boolean | null> {
    const { name } = other;
    let room = this.#rooms.get(name);
    if (room === undefined) {
      if (this.#counted >= countedAtMost && this.#rooms.size > 0) return null;
      const found = await roomOf(this.#ctx, other);
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
  others: OtherRooms,
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
