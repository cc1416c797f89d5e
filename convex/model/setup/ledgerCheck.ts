import { type Infer, v } from "convex/values";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { kindOf } from "../ledger/accounts.ts";
import { closingKey } from "../ledger/settle.ts";

/** What one query may read; a larger ledger is audited page by page. */
const pageSize: PageSize = { entries: 12_000, jobs: 2_400 };

export type PageSize = { readonly entries: number; readonly jobs: number };

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
  /** Whether this is the whole ledger. */
  complete: v.boolean(),
});

export type LedgerReport = Infer<typeof ledgerReport>;

/** Where a page ends: the last transfer that was audited, and a cursor over the jobs. */
export const ledgerPosition = v.object({ transferKey: v.string(), jobs: v.union(v.string(), v.null()) });

type Position = Infer<typeof ledgerPosition>;

export const ledgerStart: Position = { transferKey: "", jobs: null };

/**
 * Audits a part of the ledger, from its entries and not from any projection. Whole transfers only, so that a
 * page's sum is zero whenever the books are in order, however long they are.
 */
export async function checkLedgerPage(
  ctx: QueryCtx,
  after: Position,
  size = pageSize,
): Promise<{ report: LedgerReport; next: Position | null }> {
  const rows = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.gt("transferKey", after.transferKey))
    .take(size.entries + 1);
  const entries = wholeTransfers(rows, size.entries);
  const jobs = await ctx.db.query("jobs").paginate({ numItems: size.jobs, cursor: after.jobs });
  const complete = entries.length === rows.length && jobs.isDone;
  const byAccountKind = { issuance: 0n, key: 0n, escrow: 0n, device: 0n };
  for (const { account, micro } of entries) byAccountKind[kindOf(account)] += micro;
  const { issuance, key, escrow, device } = byAccountKind;
  const transferKey = entries.at(-1)?.transferKey ?? after.transferKey;
  return {
    report: {
      sum: issuance + key + escrow + device,
      byAccountKind,
      jobs: await checkJobs(ctx, jobs.page, closingsIn(entries)),
      complete,
    },
    next: complete ? null : { transferKey, jobs: jobs.continueCursor },
  };
}

/** Without the last transfer when more rows were read than wanted: the rest of it may be missing. */
function wholeTransfers(
  rows: readonly Doc<"ledgerEntries">[],
  wanted: number,
): readonly Doc<"ledgerEntries">[] {
  const cut = rows[wanted]?.transferKey;
  return cut === undefined ? rows : rows.filter(({ transferKey }) => transferKey !== cut);
}

/** How often each job was closed: every closing takes from escrow exactly once. */
function closingsIn(entries: readonly Doc<"ledgerEntries">[]): ReadonlyMap<string, number> {
  const closings = new Map<string, number>();
  for (const { account, kind, jobId } of entries) {
    if (jobId === undefined || kindOf(account) !== "escrow" || (kind !== "settle" && kind !== "release"))
      continue;
    closings.set(jobId, (closings.get(jobId) ?? 0) + 1);
  }
  return closings;
}

/** A page's jobs; their closings may be on another page of the entries. */
async function checkJobs(
  ctx: QueryCtx,
  jobs: readonly Doc<"jobs">[],
  closings: ReadonlyMap<string, number>,
): Promise<LedgerReport["jobs"]> {
  let unsettled = 0;
  let settledEarly = 0;
  for (const { _id: jobId, status } of jobs) {
    const closed = closings.has(jobId) || (await isClosed(ctx, jobId));
    if (isFinal(status) && !closed) unsettled += 1;
    if (!isFinal(status) && closed) settledEarly += 1;
  }
  const settledTwice = [...closings.values()].filter((count) => count > 1).length;
  return { checked: jobs.length, settledTwice, unsettled, settledEarly };
}

async function isClosed(ctx: QueryCtx, jobId: Id<"jobs">): Promise<boolean> {
  const entry = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", closingKey(jobId)))
    .first();
  return entry !== null;
}

/** Two pages' reports as one. */
export function mergeReports(a: LedgerReport, b: LedgerReport): LedgerReport {
  return {
    sum: a.sum + b.sum,
    byAccountKind: {
      issuance: a.byAccountKind.issuance + b.byAccountKind.issuance,
      key: a.byAccountKind.key + b.byAccountKind.key,
      escrow: a.byAccountKind.escrow + b.byAccountKind.escrow,
      device: a.byAccountKind.device + b.byAccountKind.device,
    },
    jobs: {
      checked: a.jobs.checked + b.jobs.checked,
      settledTwice: a.jobs.settledTwice + b.jobs.settledTwice,
      unsettled: a.jobs.unsettled + b.jobs.unsettled,
      settledEarly: a.jobs.settledEarly + b.jobs.settledEarly,
    },
    complete: a.complete || b.complete,
  };
}
