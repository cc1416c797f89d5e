import { stream } from "convex-helpers/server/stream";
import type { Doc, Id, MutationCtx } from "../builders.ts";
import { openStatuses } from "../jobs/states.ts";
import { maintenance } from "../references.ts";
import { schema } from "../schema.ts";

const lanesPerPiece = 32;
const rowsPerPiece = 500;
/** `usedAt` may be half a day old, so this means that no job was submitted for a day. */
const unusedMs = 36 * 3_600_000;

/**
 * Deletes lanes without open jobs that were not used for a day. Paused and draining lanes stay, since the next
 * submission would create them open.
 */
export async function forgetLanes(ctx: MutationCtx, cursor: string | null, now: number): Promise<void> {
  const { page, isDone, continueCursor } = await stream(ctx.db, schema)
    .query("lanes")
    .withIndex("by_creation_time")
    .paginate({ cursor, numItems: lanesPerPiece });
  await Promise.all(page.map((lane) => forgetIfUnused(ctx, lane, now)));
  if (!isDone) await ctx.scheduler.runAfter(0, maintenance.forgetLanes, { cursor: continueCursor });
}

async function forgetIfUnused(ctx: MutationCtx, lane: Doc<"lanes">, now: number): Promise<void> {
  if (lane.state !== "open" || now - (lane.usedAt ?? lane._creationTime) < unusedMs) return;
  const open = await Promise.all(
    openStatuses.map((status) =>
      ctx.db
        .query("jobs")
        .withIndex("by_ready", (q) => q.eq("laneId", lane._id).eq("status", status))
        .first(),
    ),
  );
  if (open.some((job) => job !== null)) return;
  const counted = await ctx.db
    .query("laneCounts")
    .withIndex("by_lane", (q) => q.eq("laneId", lane._id))
    .unique();
  if (counted !== null) await ctx.db.delete("laneCounts", counted._id);
  await ctx.db.delete("lanes", lane._id);
  await ctx.scheduler.runAfter(0, maintenance.emptyRings, { laneId: lane._id });
}

/** Deletes the rings of a deleted lane, in pieces. There may be a million rows. */
export async function emptyRings(ctx: MutationCtx, laneId: Id<"lanes">): Promise<void> {
  const [waiters, homes] = await Promise.all([
    ctx.db
      .query("stands")
      .withIndex("by_lane", (q) => q.eq("laneId", laneId))
      .take(rowsPerPiece),
    ctx.db
      .query("homes")
      .withIndex("by_lane", (q) => q.eq("laneId", laneId))
      .take(rowsPerPiece),
  ]);
  for (const { _id } of waiters) await ctx.db.delete("stands", _id);
  for (const { _id } of homes) await ctx.db.delete("homes", _id);
  if (waiters.length === rowsPerPiece || homes.length === rowsPerPiece) {
    await ctx.scheduler.runAfter(0, maintenance.emptyRings, { laneId });
  }
}
