import { spans } from "../../../app/statistics/spans.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** Older cases call for nothing anymore. */
const recentMs = 7 * spans.day;
/** Cases that are looked at, newest first. */
const mostCases = 100;

/** The devices whose answers checks found wrong in the last week, and that still get jobs. */
export async function countWrongInService(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<number> {
  const cases = await ctx.db
    .query("trustCases")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", now - recentMs),
    )
    .order("desc")
    .take(mostCases);
  const accused = new Set(cases.flatMap(({ state, deviceId }) => (state === "wrong" ? [deviceId] : [])));
  const devices = await Promise.all([...accused].map((deviceId) => ctx.db.get("devices", deviceId)));
  return devices.filter(
    (device) =>
      device?.status === "active" && device.pause === undefined && device.requestedPause === undefined,
  ).length;
}
