import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { releaseAll } from "../jobs/release.ts";

/** The device's program ends: offline at once, its jobs go to others. */
export async function goodbye(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  await releaseAll(ctx, device, "goodbye", now);
  await ctx.db.patch("devices", device._id, { online: false, activity: null, lastChangeAt: now });
}
