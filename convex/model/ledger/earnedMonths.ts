import type { Infer } from "convex/values";
import { monthOf } from "../../../app/usage/months.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { Owner } from "../owners.ts";
import type { earnedOfDevice } from "../validators/credits.ts";
import { deviceOfAccount } from "./transfer.ts";

type EarnedOfDevice = Infer<typeof earnedOfDevice>;

/** Bounds a row. Further devices of the month are one. */
const mostDevices = 300;

/** Adds a pending entry of a device to the month of the owner that it was paid for. */
export async function addToEarnedMonth(
  ctx: MutationCtx,
  { account, owner: paid, organizationId, micro, jobs, at, bonusMicro = 0n }: Doc<"ledgerPending">,
): Promise<void> {
  const deviceId = ctx.db.normalizeId("devices", deviceOfAccount(account) ?? "");
  if (deviceId === null) return;
  const owner = paid === undefined ? (await ctx.db.get("devices", deviceId))?.owner : paid;
  if (owner === undefined || owner === null) return;
  const startAt = monthOf(at);
  const added = { deviceId, jobs, micro, bonusMicro };
  const row = await ctx.db
    .query("earnedMonths")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("startAt", startAt))
    .unique();
  if (row === null) await ctx.db.insert("earnedMonths", { organizationId, owner, startAt, devices: [added] });
  else await ctx.db.patch("earnedMonths", row._id, { devices: plus(row.devices, added) });
}

function plus(devices: readonly EarnedOfDevice[], added: EarnedOfDevice): EarnedOfDevice[] {
  const known = devices.findIndex(({ deviceId }) => deviceId === added.deviceId);
  const others = devices.findIndex(({ deviceId }) => deviceId === undefined);
  const place = known >= 0 || devices.length < mostDevices ? known : others;
  if (place < 0) {
    if (devices.length < mostDevices) return [...devices, added];
    const { deviceId: _, ...sums } = added;
    return [...devices, sums];
  }
  return devices.map((each, index) =>
    index === place
      ? {
          ...each,
          jobs: each.jobs + added.jobs,
          micro: each.micro + added.micro,
          bonusMicro: each.bonusMicro + added.bonusMicro,
        }
      : each,
  );
}

/** The months of an owner since one of them, in order: at most two years. */
export async function earnedMonthsSince(
  ctx: QueryCtx,
  owner: Owner,
  since: number,
): Promise<readonly Doc<"earnedMonths">[]> {
  return await ctx.db
    .query("earnedMonths")
    .withIndex("by_owner", (q) => q.eq("owner", owner).gte("startAt", since))
    .take(25);
}
