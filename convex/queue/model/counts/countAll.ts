import type { GenericActionCtx } from "convex/server";
import type { DataModel } from "../../builders.ts";
import { counts } from "../references.ts";
import { lanesPerLook, type RangeCount } from "./ranges.ts";
import { queuedByRequester, tallyLane, type LaneTally } from "./tally.ts";

type ActionCtx = GenericActionCtx<DataModel>;
type Lane = { readonly laneId: LaneTally["laneId"]; readonly scope: string; readonly name: string };

/** Requesters of a scope that are written down at most, those with most queued. */
const maxRequesters = 500;

/** Counts what stands in all lanes, scope by scope. By queries, since a mutation would collide with every job. */
export async function countAll(ctx: ActionCtx): Promise<void> {
  let ofScope: Lane[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: { lanes: Lane[]; cursor: string | null } = await ctx.runQuery(counts.lanesToCount, {
      cursor,
    });
    for (const lane of page.lanes) {
      if (ofScope[0] !== undefined && ofScope[0].scope !== lane.scope) {
        await countScope(ctx, ofScope);
        ofScope = [];
      }
      ofScope.push(lane);
    }
    cursor = page.cursor;
    if (cursor === null) break;
  }
  if (ofScope.length > 0) await countScope(ctx, ofScope);
}

async function countScope(ctx: ActionCtx, lanes: readonly Lane[]): Promise<void> {
  const scope = lanes[0]?.scope ?? "";
  const tallies: LaneTally[] = [];
  const ranges: RangeCount[] = [];
  for (let from = 0; from < lanes.length; from += lanesPerLook) {
    const some = lanes.slice(from, from + lanesPerLook);
    const seen = await ctx.runQuery(counts.look, { laneIds: some.map(({ laneId }) => laneId) });
    const counted = await Promise.all(
      seen.ranges.map(async (range) => {
        const { laneId, status, level, more } = range;
        return more ? await ctx.runQuery(counts.countRange, { laneId, status, level }) : range;
      }),
    );
    ranges.push(...counted);
    for (const { laneId, name } of some) {
      const oldestReadyAt = seen.oldest.find((one) => one.laneId === laneId)?.readyAt ?? null;
      tallies.push(tallyLane({ laneId, name, oldestReadyAt }, counted));
    }
  }
  const requesters = [...queuedByRequester(ranges)]
    .map(([name, queued]) => ({ name, queued: Math.round(queued) }))
    .sort((a, b) => b.queued - a.queued)
    .slice(0, maxRequesters);
  const fleet = await ctx.runQuery(counts.largeFleet, { scope });
  await ctx.runMutation(counts.note, { scope, lanes: tallies, requesters, fleet });
}
