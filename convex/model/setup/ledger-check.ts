import { type Infer, v } from "convex/values";
import { isFinal } from "../../../app/jobs/states.ts";
import type { QueryCtx } from "../../_generated/server.js";
import { kindOf } from "../ledger/accounts.ts";

/** What one query may read; a larger ledger is checked in part, and the answer says so. */
const maxEntries = 12_000;
const maxJobs = 4_000;

export const ledgerReport = v.object({
  sum: v.int64(),
  byAccountKind: v.object({
    issuance: v.int64(),
    key: v.int64(),
    escrow: v.int64(),
    device: v.int64(),
  }),
  jobs: v.object({
    checked: v.number(),
    /** Closed more than once: paid twice, or paid and released. */
    settledTwice: v.number(),
    /** Final, but their reservation is still held. */
    unsettled: v.number(),
    /** Not final, but their reservation is gone. */
    settledEarly: v.number(),
  }),
  complete: v.boolean(),
});

/** Audits the ledger from its entries, not from any projection. */
export async function checkLedger(ctx: QueryCtx): Promise<Infer<typeof ledgerReport>> {
  const entries = await ctx.db.query("ledgerEntries").take(maxEntries);
  const byAccountKind = { issuance: 0n, key: 0n, escrow: 0n, device: 0n };
  const closings = new Map<string, number>();
  for (const { account, micro, kind, jobId } of entries) {
    const accountKind = kindOf(account);
    byAccountKind[accountKind] += micro;
    // Each closing takes from escrow exactly once.
    if (jobId !== undefined && accountKind === "escrow" && (kind === "settle" || kind === "release")) {
      closings.set(jobId, (closings.get(jobId) ?? 0) + 1);
    }
  }
  const jobs = await ctx.db.query("jobs").take(maxJobs);
  const complete = entries.length < maxEntries && jobs.length < maxJobs;
  const closed = (jobId: string): boolean => closings.has(jobId);
  return {
    sum: byAccountKind.issuance + byAccountKind.key + byAccountKind.escrow + byAccountKind.device,
    byAccountKind,
    jobs: {
      checked: jobs.length,
      settledTwice: [...closings.values()].filter((count) => count > 1).length,
      unsettled: complete ? jobs.filter((job) => isFinal(job.status) && !closed(job._id)).length : 0,
      settledEarly: jobs.filter((job) => !isFinal(job.status) && closed(job._id)).length,
    },
    complete,
  };
}
