import { addToLots } from "../../../app/credits/lots.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { bucketMs, lotsOf } from "./balance.ts";
import { addToEarnedMonth } from "./earnedMonths.ts";
import { addToKeyDay } from "./keyDays.ts";
import { addToTotals } from "./totals.ts";
import { deviceOfAccount, houseAccount, kindOf, mostEntries, transfer, walletAccount } from "./transfer.ts";

const transfersPerBatch = 100;

/**
 * Adds the oldest pending transfers to `accounts`, `ledgerTotals` and `earnings`. It adds whole transfers, so the
 * projection always sums to zero.
 * @param before only entries made before this moment, so that the projector does not contend with running transfers.
 * @returns whether more transfers are left.
 */
export async function projectBatch(ctx: MutationCtx, before: number): Promise<boolean> {
  const oldest = await ctx.db
    .query("ledgerPending")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .take(transfersPerBatch);
  for (const transferKey of new Set(oldest.map((entry) => entry.transferKey))) {
    await projectTransfer(ctx, transferKey);
  }
  return oldest.length === transfersPerBatch;
}

/** Adds one transfer's pending entries to the projection. */
export async function projectTransfer(ctx: MutationCtx, transferKey: string): Promise<void> {
  const entries = await ctx.db
    .query("ledgerPending")
    .withIndex("by_transfer", (q) => q.eq("transferKey", transferKey))
    .take(mostEntries);
  const [first] = entries;
  if (first === undefined) return;
  await addToTotals(ctx, first.organizationId, entries);
  for (const entry of entries) {
    await addToAccount(ctx, entry);
    await addToKeyDay(ctx, entry);
    await ctx.db.delete("ledgerPending", entry._id);
    await leaveToOwner(ctx, entry);
  }
}

/** Moves pay to whom it belongs, if the device was handed over while the pay was pending. */
async function leaveToOwner(
  ctx: MutationCtx,
  { organizationId, account, owner, micro, at, transferKey }: Doc<"ledgerPending">,
): Promise<void> {
  const deviceId = ctx.db.normalizeId("devices", deviceOfAccount(account) ?? "");
  if (deviceId === null || owner === undefined || micro <= 0n) return;
  const now = (await ctx.db.get("devices", deviceId))?.owner ?? null;
  if (now === owner) return;
  const key = `keep:${transferKey}:${deviceId}`;
  const entries = [
    { account, micro: -micro },
    { account: owner === null ? houseAccount(organizationId) : walletAccount(owner), micro },
  ];
  await transfer(ctx, { key, organizationId, kind: "move", at, entries });
  await projectTransfer(ctx, key);
}

async function addToAccount(ctx: MutationCtx, entry: Doc<"ledgerPending">): Promise<void> {
  const { organizationId, account, micro, jobs, at, earnedAt = monthOf(at), takenBack = false } = entry;
  const row = await ctx.db
    .query("accounts")
    .withIndex("by_account", (q) => q.eq("account", account))
    .unique();
  const kind = kindOf(account);
  const hasLots = kind === "device" || kind === "wallet";
  const isMoved = kind === "device" && micro < 0n && !takenBack;
  const changed = {
    balanceMicro: (row?.balanceMicro ?? 0n) + micro,
    jobs: (row?.jobs ?? 0) + jobs,
    ...(hasLots ? { lots: addToLots(lotsOf(row), earnedAt, micro) } : {}),
    ...(entry.held === true ? { heldMicro: (row?.heldMicro ?? 0n) - micro } : {}),
    ...(isMoved ? { movedMicro: (row?.movedMicro ?? 0n) - micro } : {}),
  };
  if (row === null) await ctx.db.insert("accounts", { organizationId, account, ...changed });
  else await ctx.db.patch("accounts", row._id, changed);
  if (kind !== "device" || isMoved) return;
  await addToEarnedMonth(ctx, entry);
  const startAt = Math.floor(at / bucketMs) * bucketMs;
  const bucket = await ctx.db
    .query("earnings")
    .withIndex("by_account", (q) => q.eq("account", account).eq("startAt", startAt))
    .unique();
  if (bucket === null) await ctx.db.insert("earnings", { account, startAt, micro, jobs });
  else await ctx.db.patch("earnings", bucket._id, { micro: bucket.micro + micro, jobs: bucket.jobs + jobs });
}
