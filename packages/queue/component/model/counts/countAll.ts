import type { GenericActionCtx } from "convex/server";
import type { DataModel } from "../builders.ts";
import { lanesPerScan, type RangeCount } from "./ranges.ts";
import { counts } from "./references.ts";
import { type LaneTally, readyByLevel, tallyLane, tallyRequesters } from "./tally.ts";
import { expectedWaits, type LanePace } from "./waits.ts";

type ActionCtx = GenericActionCtx<DataModel>;
type Lane = { readonly laneId: LaneTally["laneId"]; readonly scope: string; readonly name: string };

/** The most requesters of a scope that are looked at: those with most jobs. */
const maxRequesters = 500;

/**
 * Counts the jobs in all lanes, scope by scope. Uses queries, because a mutation would conflict with every job. A lane
 * or scope that cannot be counted keeps its last figures.
 */
export async function countAll(ctx: ActionCtx): Promise<void> {
  let ofScope: Lane[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: { lanes: Lane[]; cursor: string | null } = await ctx.runQuery(counts.lanesToCount, {
      cursor,
    });
    for (const lane of page.lanes) {
      if (ofScope[0] !== undefined && ofScope[0].scope !== lane.scope) {
        await tryCountScope(ctx, ofScope);
        ofScope = [];
      }
      ofScope.push(lane);
    }
    cursor = page.cursor;
    if (cursor === null) break;
  }
  if (ofScope.length > 0) await tryCountScope(ctx, ofScope);
}

async function tryCountScope(ctx: ActionCtx, lanes: readonly Lane[]): Promise<void> {
  try {
    await countScope(ctx, lanes);
  } catch (error) {
    console.error(`The jobs of scope "${lanes[0]?.scope ?? ""}" could not be counted this time:`, error);
  }
}

async function countScope(ctx: ActionCtx, lanes: readonly Lane[]): Promise<void> {
  const scope = lanes[0]?.scope ?? "";
  const tallies: LaneTally[] = [];
  const ranges: RangeCount[] = [];
  for (let from = 0; from < lanes.length; from += lanesPerScan) {
    for (const found of await countTogether(ctx, lanes.slice(from, from + lanesPerScan))) {
      ranges.push(...found.ranges);
      tallies.push(...found.tallies);
    }
  }
  const requesters = tallyRequesters(ranges).slice(0, maxRequesters);
  const fleet = await ctx.runQuery(counts.largeFleet, { scope });
  const waits = await countWaits(ctx, tallies, ranges);
  const withWaits = tallies.map((tally) => ({ ...tally, ...waits.get(tally.laneId) }));
  await ctx.runMutation(counts.note, { scope, lanes: withWaits, requesters, fleet });
}

/** The most lanes without ready jobs whose waits are measured, too. */
const maxIdle = 32;

/**
 * The expected waits of the lanes with ready jobs, and of some without: their workers may be busy with the jobs of the others. If
 * they cannot be measured, nobody is refused because of them.
 */
async function countWaits(
  ctx: ActionCtx,
  tallies: readonly LaneTally[],
  ranges: readonly RangeCount[],
): Promise<ReadonlyMap<LaneTally["laneId"], { readonly waits: number[] }>> {
  const queued = tallies.filter(({ ready }) => ready > 0).map(({ laneId }) => laneId);
  // Lanes whose jobs run or wait for something are the likeliest to get further ones.
  const idle = tallies
    .filter(({ ready }) => queued.length > 0 && ready === 0)
    .sort((a, b) => b.running + b.waiting - a.running - a.waiting)
    .map(({ laneId }) => laneId);
  const measured = [...queued, ...idle.slice(0, maxIdle)];
  const paces: LanePace[] = [];
  try {
    for (let from = 0; from < measured.length; from += lanesPerScan) {
      const laneIds = measured.slice(from, from + lanesPerScan);
      paces.push(...(await ctx.runQuery(counts.paces, { laneIds })));
    }
  } catch (error) {
    console.error("The pace of some workers could not be measured this time:", error);
  }
  const queues = queued.map((laneId) => readyByLevel(laneId, ranges));
  return new Map(
    paces.flatMap((pace) => {
      const waits = expectedWaits(pace, queues, paces);
      return waits === null ? [] : [[pace.laneId, { waits: [...waits] }] as const];
    }),
  );
}

type Counted = { readonly tallies: readonly LaneTally[]; readonly ranges: readonly RangeCount[] };

/**
 * Counts a few lanes together. If that fails because their rows are large, counts them one by one, and skips those that
 * still fail.
 */
async function countTogether(ctx: ActionCtx, lanes: readonly Lane[]): Promise<Counted[]> {
  try {
    return [await countLanes(ctx, lanes)];
  } catch (error) {
    const [lane, ...others] = lanes;
    if (lane !== undefined && others.length > 0) {
      const each: Counted[] = [];
      for (const one of lanes) each.push(...(await countTogether(ctx, [one])));
      return each;
    }
    console.error(`The jobs of lane ${lane?.name ?? ""} could not be counted this time:`, error);
    return [];
  }
}

async function countLanes(ctx: ActionCtx, lanes: readonly Lane[]): Promise<Counted> {
  const seen = await ctx.runQuery(counts.scan, { laneIds: lanes.map(({ laneId }) => laneId) });
  const ranges = await Promise.all(
    seen.ranges.map(async (range) => {
      const { laneId, status, level, more } = range;
      return more ? await ctx.runQuery(counts.countRange, { laneId, status, level }) : range;
    }),
  );
  const tallies = lanes.map(({ laneId, name }) => {
    const oldestReadyAt = seen.oldest.find((one) => one.laneId === laneId)?.readyAt ?? null;
    return tallyLane({ laneId, name, oldestReadyAt }, ranges);
  });
  return { tallies, ranges };
}
