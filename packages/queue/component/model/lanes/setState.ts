import type { Doc, MutationCtx } from "../builders.ts";
import { record } from "../events.ts";
import { loadOwned } from "../load.ts";
import { maintenance } from "../references.ts";

type LaneState = Doc<"lanes">["state"];

const actions: Readonly<Record<LaneState, string>> = {
  open: "lane.open",
  paused: "lane.pause",
  draining: "lane.drain",
};

/** Opens, pauses or drains a lane. When a paused lane can be claimed from again, waiting workers are added to it. */
export async function setLaneState(
  ctx: MutationCtx,
  change: {
    readonly scope: string;
    readonly laneId: string;
    readonly state: LaneState;
    readonly actor?: string;
  },
  now: number,
): Promise<void> {
  const { scope, laneId, state, actor } = change;
  const lane = await loadOwned(ctx, "lanes", scope, laneId);
  if (lane.state === state) return;
  await ctx.db.patch("lanes", lane._id, { state, stateBy: actor, stateAt: now });
  await record(ctx, { scope, at: now, actor, action: actions[state], subject: lane.name });
  if (lane.state === "paused") {
    await ctx.scheduler.runAfter(0, maintenance.addToLane, { laneId: lane._id, after: -1 });
  }
}
