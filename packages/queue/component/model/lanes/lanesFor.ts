import type { Requirements } from "../../../shared/validators.ts";
import type { Doc, Id, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf } from "../load.ts";
import { minSlots } from "../placement.ts";
import { prioritiesIn } from "../priority.ts";
import { maintenance } from "../references.ts";
import { refuse } from "../refuse.ts";
import { settingsOf } from "../settings.ts";

/** `usedAt` is written rarely, so that submissions do not conflict on it. */
const usedEveryMs = 12 * 3_600_000;

export type Lanes = ReadonlyMap<string, Doc<"lanes">>;
export type WantedLane = {
  readonly name: string;
  readonly kind: string;
  readonly requirements: Requirements;
  /** The priority of the job. Several entries of one lane may have different ones. */
  readonly priority: number;
};

/** The lanes that exist, by name. All are point reads, in parallel. */
export async function findLanes(ctx: QueryCtx, scope: string, names: readonly string[]): Promise<Lanes> {
  const rows = await Promise.all(
    [...new Set(names)].map((name) =>
      firstOf(ctx.db.query("lanes").withIndex("by_name", (q) => q.eq("scope", scope).eq("name", name))),
    ),
  );
  return new Map(rows.flatMap((lane) => (lane === null ? [] : [[lane.name, lane]])));
}

export type OpenLane = { readonly laneId: Id<"lanes">; readonly slots: number };

/**
 * The lanes that jobs are put into. Missing lanes are created, and waiting workers are added to them. Refuses: too_many_lanes.
 * `spareLanes`: new lanes must leave room for this many more.
 */
export async function openLanes(
  ctx: MutationCtx,
  scope: string,
  wanted: readonly WantedLane[],
  found: Lanes,
  now: number,
  spareLanes = 0,
): Promise<ReadonlyMap<string, OpenLane>> {
  const distinct = new Map(wanted.map((lane) => [lane.name, lane]));
  const prioritiesOf = (name: string) => [
    ...new Set(wanted.filter((lane) => lane.name === name).map(({ priority }) => priority)),
  ];
  const missing = [...distinct.keys()].filter((name) => !found.has(name));
  if (missing.length > 0) await checkRoom(ctx, scope, missing.length + spareLanes);
  const opened = await Promise.all(
    [...distinct.values()].map(async (lane) => {
      const row = found.get(lane.name);
      const priorities = prioritiesOf(lane.name);
      if (row !== undefined) await noteUse(ctx, row, priorities, now);
      const open =
        row === undefined
          ? await makeLane(ctx, scope, { ...lane, priorities }, now)
          : { laneId: row._id, slots: row.slots };
      return [lane.name, open] as const;
    }),
  );
  return new Map(opened);
}

async function checkRoom(ctx: QueryCtx, scope: string, more: number): Promise<void> {
  const { maxLanes } = await settingsOf(ctx, scope);
  const there = await ctx.db
    .query("lanes")
    .withIndex("by_name", (q) => q.eq("scope", scope))
    .take(maxLanes);
  if (there.length + more > maxLanes) {
    refuse(
      "too_many_lanes",
      `A scope has at most ${String(maxLanes)} lanes, one for each kind and set of requirements. Use fewer.`,
    );
  }
}

async function makeLane(
  ctx: MutationCtx,
  scope: string,
  {
    name,
    kind,
    requirements,
    priorities,
  }: Pick<WantedLane, "name" | "kind" | "requirements"> & { readonly priorities: number[] },
  now: number,
): Promise<OpenLane> {
  const lane = {
    scope,
    name,
    kind,
    requirements,
    state: "open",
    slots: minSlots,
    levels: priorities,
    usedAt: now,
  } as const;
  const laneId = await ctx.db.insert("lanes", lane);
  await ctx.scheduler.runAfter(0, maintenance.addToLane, { laneId, after: -1 });
  return { laneId, slots: minSlots };
}

async function noteUse(
  ctx: MutationCtx,
  lane: Doc<"lanes">,
  priorities: readonly number[],
  now: number,
): Promise<void> {
  await notePriorities(ctx, lane, priorities);
  if (lane.usedAt === undefined || now - lane.usedAt > usedEveryMs) {
    await ctx.db.patch("lanes", lane._id, { usedAt: now });
  }
}

/** Notes that a lane has jobs of these priorities. Others are not searched. */
export async function notePriorities(
  ctx: MutationCtx,
  lane: Doc<"lanes">,
  priorities: readonly number[],
): Promise<void> {
  const known = prioritiesIn(lane);
  if (priorities.some((priority) => !known.includes(priority))) {
    await ctx.db.patch("lanes", lane._id, { levels: [...new Set([...known, ...priorities])] });
  }
}
