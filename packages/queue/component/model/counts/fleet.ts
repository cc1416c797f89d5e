import { type Infer, v } from "convex/values";
import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { ringSize } from "../placement.ts";

export const fleet = v.object({ online: v.number(), accepting: v.number() });
export type Fleet = Infer<typeof fleet>;

/** Up to this many online workers are counted at each request. */
const smallFleet = 200;
const sampled = 1_000;

/** Counts a small fleet now; null for a larger one. Reads only rows that change on transitions. */
export async function smallFleetOf(ctx: QueryCtx, scope: string): Promise<Fleet | null> {
  const online = await ctx.db
    .query("workers")
    .withIndex("by_online", (q) => q.eq("scope", scope).eq("online", true))
    .take(smallFleet + 1);
  return online.length > smallFleet ? null : await count(ctx, online);
}

/**
 * Estimates a large fleet; null for a small one. Positions are evenly distributed, so the first 1,000 workers are a
 * fair sample. The part of the ring that they cover gives the total.
 */
export async function largeFleetOf(ctx: QueryCtx, scope: string): Promise<Fleet | null> {
  const [online, first] = await Promise.all([
    ctx.db
      .query("workers")
      .withIndex("by_online", (q) => q.eq("scope", scope).eq("online", true))
      .take(smallFleet + 1),
    ctx.db
      .query("workers")
      .withIndex("by_position", (q) => q.eq("scope", scope))
      .take(sampled),
  ]);
  if (online.length <= smallFleet) return null;
  const counted = await count(
    ctx,
    first.filter((worker) => worker.online),
  );
  const last = first.at(-1);
  if (first.length < sampled || last === undefined) return counted;
  const scale = ringSize / (last.position + 0.5);
  return { online: Math.round(counted.online * scale), accepting: Math.round(counted.accepting * scale) };
}

async function count(ctx: QueryCtx, online: readonly Doc<"workers">[]): Promise<Fleet> {
  const homes = await Promise.all(
    online.map(({ _id }) =>
      ctx.db
        .query("homes")
        .withIndex("by_worker", (q) => q.eq("workerId", _id))
        .first(),
    ),
  );
  return { online: online.length, accepting: homes.filter((home) => home !== null).length };
}

export async function noteFleet(
  ctx: MutationCtx,
  scope: string,
  row: Doc<"fleets"> | null,
  found: Fleet | null,
  now: number,
): Promise<void> {
  if (row !== null && found === null) await ctx.db.delete("fleets", row._id);
  else if (row !== null && found !== null)
    await ctx.db.patch("fleets", row._id, { ...found, countedAt: now });
  else if (found !== null) await ctx.db.insert("fleets", { scope, ...found, countedAt: now });
}
