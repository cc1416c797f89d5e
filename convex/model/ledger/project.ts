import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { bucketMs } from "./balance.ts";
import { addToKeyDay } from "./keyDays.ts";
import { addToTotals } from "./totals.ts";
import { kindOf } from "./transfer.ts";

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
    .take(10);
  const [first] = entries;
  if (first === undefined) return;
  await addToTotals(ctx, first.organizationId, entries);
  for (const entry of entries) {
    await addToAccount(ctx, entry);
    await addToKeyDay(ctx, entry);
    await ctx.db.delete("ledgerPending", entry._id);
  }
}

async function addToAccount(ctx: MutationCtx, entry: Doc<"ledgerPending">): Promise<void> {
  const { organizationId, account, micro, jobs } = entry;
  const row = await ctx.db
    .query("accounts")
    .withIndex("by_account", (q) => q.eq("account", account))
    .unique();
  if (row === null) await ctx.db.insert("accounts", { organizationId, account, balanceMicro: micro, jobs });
  else
    await ctx.db.patch("accounts", row._id, {
      balanceMicro: row.balanceMicro + micro,
      jobs: row.jobs + jobs,
    });
  if (kindOf(account) !== "device") return;
  const startAt = Math.floor(entry.at / bucketMs) * bucketMs;
  const bucket = await ctx.db
    .query("earnings")
    .withIndex("by_account", (q) => q.eq("account", account).eq("startAt", startAt))
    .unique();
  if (bucket === null) await ctx.db.insert("earnings", { account, startAt, micro, jobs });
  else await ctx.db.patch("earnings", bucket._id, { micro: bucket.micro + micro, jobs: bucket.jobs + jobs });
}
