import type { Doc, MutationCtx, QueryCtx } from "../builders.ts";
import { firstOf, remembered } from "../load.ts";
import { type Spread, widerSpread } from "./width.ts";

/** The stored spread; null if the affinity uses one slot. One point read. @param lane the lane's name. */
async function spreadOf(
  ctx: QueryCtx,
  scope: string,
  lane: string,
  affinity: string,
): Promise<Doc<"spreads"> | null> {
  return await firstOf(
    ctx.db
      .query("spreads")
      .withIndex("by_affinity", (q) => q.eq("scope", scope).eq("lane", lane).eq("affinity", affinity)),
  );
}

/** The spreads of some new jobs; null without an affinity. One point read for each distinct affinity, in parallel. */
export async function spreadsOf(
  ctx: QueryCtx,
  scope: string,
  jobs: readonly { readonly lane: string; readonly affinity: string | undefined }[],
): Promise<readonly (Spread | null)[]> {
  const reads = new Map<string, Promise<Spread | null>>();
  return await Promise.all(
    jobs.map(async ({ lane, affinity }) => {
      if (affinity === undefined) return null;
      const key = JSON.stringify([lane, affinity]);
      return await remembered(reads, key, () => spreadOf(ctx, scope, lane, affinity));
    }),
  );
}

/**
 * Widens the spread of an affinity whose jobs queue up at a slot, if it is time. Of two simultaneous calls one runs
 * again and finds that it is not time.
 */
export async function widen(
  ctx: MutationCtx,
  { scope, name, slots }: Doc<"lanes">,
  affinity: string,
  now: number,
): Promise<void> {
  const spread = await spreadOf(ctx, scope, name, affinity);
  const wider = widerSpread(spread, slots, now);
  if (wider === null) return;
  if (spread === null) await ctx.db.insert("spreads", { scope, lane: name, affinity, ...wider });
  else await ctx.db.patch("spreads", spread._id, wider);
}
