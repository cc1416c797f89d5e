import type { MutationCtx } from "../builders.ts";
import { defined } from "../load.ts";
import { noteRate } from "../rings/laneRate.ts";
import { settingsOf } from "../settings.ts";
import { findBacklogs, knownBacklogs, noteBacklogs } from "./backlogs.ts";
import { noteFleet } from "./fleet.ts";
import { noteRequesters } from "./requesters.ts";
import type { LaneTally, ScopeCounts } from "./tally.ts";

/** Stores a scope's counts and its backlogs. A lane that stays empty is not written, unless its workers have other jobs. */
export async function noteCounts(ctx: MutationCtx, counts: ScopeCounts, now: number): Promise<void> {
  const { scope, lanes, requesters } = counts;
  const [settings, before, fleet] = await Promise.all([
    settingsOf(ctx, scope),
    knownBacklogs(ctx, scope),
    ctx.db
      .query("fleets")
      .withIndex("by_scope", (q) => q.eq("scope", scope))
      .unique(),
    noteRequesters(ctx, scope, requesters),
    ...lanes.map((tally) => noteLane(ctx, scope, tally, now)),
  ]);
  await noteBacklogs(ctx, counts, before, findBacklogs(lanes, requesters, settings), now);
  await noteFleet(ctx, scope, fleet, counts.fleet, now);
}

async function noteLane(ctx: MutationCtx, scope: string, tally: LaneTally, now: number): Promise<void> {
  const { laneId, ready, waiting, running, oldestReadyAt, waits } = tally;
  const [row, lane] = await Promise.all([
    ctx.db
      .query("laneCounts")
      .withIndex("by_lane", (q) => q.eq("laneId", laneId))
      .unique(),
    ctx.db.get("lanes", laneId),
  ]);
  if (lane === null) return;
  await noteRate(ctx, lane);
  const counted = { scope, laneId, ready, waiting, running, oldestReadyAt, countedAt: now };
  if (row === null) await ctx.db.insert("laneCounts", { ...counted, ...defined({ waits }) });
  else if (
    ready + waiting + running + row.ready + row.waiting + row.running > 0 ||
    waits !== undefined ||
    row.waits !== undefined
  ) {
    // A patch removes fields that are undefined.
    await ctx.db.patch("laneCounts", row._id, { ...counted, waits });
  }
}
