import type { Doc, MutationCtx, QueryCtx } from "../../builders.ts";
import { firstOf } from "../load.ts";
import { type Spread, widerSpread } from "./width.ts";

/** A point read. Null: its jobs stand at one slot. @param lane its name. */
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

/** Of some jobs to be submitted, each null without an affinity. One point read per distinct one, all at once. */
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
      const read = reads.get(key) ?? spreadOf(ctx, scope, lane, affinity);
      reads.set(key, read);
      return await read;
    }),
  );
}

/**
 * One that waited claims a job, while others of its affinity stand behind it: spreads them further, if it is
 * time. Of two that do so at once one runs again, and finds that it is not time.
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
