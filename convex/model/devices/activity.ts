import type { Infer } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { activity } from "../validators.ts";

type Activity = Infer<typeof activity>;

/** What a device says that it is doing. Writes on transitions only: the console watches the row. */
export async function setActivity(
  ctx: MutationCtx,
  device: Doc<"devices">,
  current: Activity,
  now: number,
): Promise<void> {
  if (device.activity?.kind === current.kind && device.activity.reason === current.reason) return;
  await ctx.db.patch("devices", device._id, { activity: current, lastChangeAt: now });
}

/** Its program has ended. */
export async function endActivity(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  if (device.activity !== null)
    await ctx.db.patch("devices", device._id, { activity: null, lastChangeAt: now });
}
