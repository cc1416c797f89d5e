import type { Doc, MutationCtx } from "../../builders.ts";
import { releaseAll } from "../attempt/release.ts";
import { leaveRings } from "../rings/membership.ts";

/** The worker's program ends: offline at once, its jobs go to others. */
export async function goodbye(ctx: MutationCtx, worker: Doc<"workers">, now: number): Promise<void> {
  await leaveRings(ctx, worker._id);
  await releaseAll(ctx, worker, "goodbye", now);
  if (worker.online) await ctx.db.patch("workers", worker._id, { online: false, lastChangeAt: now });
}
