import type { Doc, MutationCtx } from "../../builders.ts";
import { move } from "../jobs/move.ts";
import { maintenance } from "../references.ts";
import type { Limited } from "./held.ts";
import { nextInLine } from "./line.ts";
import { roomOf } from "./room.ts";
import type { LimitedBy } from "./turns.ts";

/** Jobs that one call looks at. */
const piece = 100;

/**
 * Gives turns to those in line for the name, while it has room. Whoever is also limited under its other name, and
 * finds that one full, goes over to that one's line: so a line is looked at from its front, and a job waits in the line
 * of a name that is full, or that is being admitted from. What is left after a piece, a next call does.
 */
export async function admit(ctx: MutationCtx, limited: Limited, now: number): Promise<void> {
  const dice = Math.random();
  const others = new Map<string, number>();
  let room = await roomOf(ctx, limited);
  for (let left = piece; room > 0;) {
    const most = Math.min(room, left);
    const jobs = await nextInLine(ctx, limited, most, dice);
    for (const job of jobs) if (await admitOne(ctx, job, limited.of, others, now)) room -= 1;
    // Fewer than were asked for: the line is empty.
    if (jobs.length < most) return;
    left -= jobs.length;
    if (left === 0) {
      if (room > 0) await ctx.scheduler.runAfter(0, maintenance.admit, { ...limited });
      return;
    }
  }
}

/** Whether it has its turn; else it stands in its other name's line now. */
async function admitOne(
  ctx: MutationCtx,
  job: Doc<"jobs">,
  of: LimitedBy,
  others: Map<string, number>,
  now: number,
): Promise<boolean> {
  const other = of === "requester" ? "key" : "requester";
  const name = job[other];
  if (name !== undefined) {
    const room = others.get(name) ?? (await roomOf(ctx, { scope: job.scope, of: other, name }));
    if (room === 0) {
      others.set(name, room);
      await ctx.db.patch("jobs", job._id, { turnOf: other });
      return false;
    }
    others.set(name, room - 1);
  }
  await move(ctx, job, { kind: "wake" }, now);
  return true;
}
