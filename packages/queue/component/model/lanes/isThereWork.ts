import type { QueryCtx } from "../../builders.ts";
import { onlyOf } from "../onlyOf.ts";
import { maxLanes } from "../settings.ts";

/** Whether any lane of the scope that is not paused has a ready job. */
export async function isThereWorkIn(ctx: QueryCtx, scope: string): Promise<boolean> {
  const lanes = await ctx.db
    .query("lanes")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxLanes);
  const ready = await Promise.all(
    lanes
      .filter(({ state }) => state !== "paused")
      .map(({ _id }) =>
        onlyOf(ctx.db.query("jobs").withIndex("by_dice", (q) => q.eq("laneId", _id).eq("status", "ready"))),
      ),
  );
  return ready.some((job) => job !== null);
}
