import type { Infer } from "convex/values";
import { comfortHour as parsedHour, hourMs } from "../../../app/comfort/hour.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import type { comfortHour } from "../validators/devices.ts";

type Hour = Infer<typeof comfortHour>;

/** A device that was offline for long sends its hours in several calls. */
const mostHours = 24;
/** A week, and the day before it, since days begin at different times. */
export const keptMs = 8 * 24 * hourMs;
const keptHours = keptMs / hourMs;
/** A device's clock may be a little ahead. */
const aheadMs = 5 * 60_000;

/**
 * Stores measured hours of a device, each once. Hours that are over for longer than eight days, or not over yet, are left out: the
 * device's clock is wrong, or it was offline. Refuses: invalid.
 */
export async function addHours(
  ctx: MutationCtx,
  { _id: deviceId, organizationId, status }: Doc<"devices">,
  given: readonly Hour[],
  now: number,
): Promise<void> {
  if (given.length > mostHours) refuse("invalid", `Send at most ${String(mostHours)} hours at a time.`);
  const hours = given.map(
    (hour) => parsedHour.safeParse(hour).data ?? refuse("invalid", "An hour is out of bounds."),
  );
  if (status !== "active") return;
  for (const hour of hours) {
    const { startAt } = hour;
    if (startAt < now - keptMs || startAt + hourMs > now + aheadMs) continue;
    const known = await ctx.db
      .query("comfortHours")
      .withIndex("by_device", (q) => q.eq("deviceId", deviceId).eq("startAt", startAt))
      .first();
    if (known !== null) continue;
    await ctx.db.insert("comfortHours", { organizationId, deviceId, ...hour });
  }
}

/** The measured hours of a device in the last eight days, newest first. */
export async function hoursOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<Hour[]> {
  const rows = await ctx.db
    .query("comfortHours")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .order("desc")
    .take(keptHours);
  return rows.map(
    ({ _id, _creationTime, organizationId: _organization, deviceId: _device, yields: _yields, ...hour }) =>
      hour,
  );
}
