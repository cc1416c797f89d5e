import { type Infer, v } from "convex/values";
import { isFinal } from "../../../app/jobs/states.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { amountsByKind } from "../validators/credits.ts";
import { closingKey } from "./reservations.ts";
import { accountKinds, kindOf, noAmounts } from "./transfer.ts";

/** Bounds what one query reads. A larger ledger is audited page by page. */
const pageSize: PageSize = { entries: 10_000, jobs: 400 };

type PageSize = { readonly entries: number; readonly jobs: number };

/** Opening balances of one page. An organization has one for each key and device that an archive of the ledger has. */
const openingsAtOnce = 2_000;

export const ledgerReport = v.object({
  sum: v.int64(),
  byAccountKind: amountsByKind,
  jobs: v.object({
    checked: v.number(),
    /** Closed more than once: paid twice, or paid and released. */
    settledTwice: v.number(),
    /** Final jobs whose reservation is still open. */
    unsettled: v.number(),
    /** Unfinished jobs whose reservation is closed. */
    settledEarly: v.number(),
  }),
  /** Whether the report covers the whole ledger. */
  complete: v.boolean(),
});

export type LedgerReport = Infer<typeof ledgerReport>;

/**
 * The end of a page: the last audited transfer, a cursor over the orders, and the time of creation of the last opening balance.
 */
export const ledgerPosition = v.object({
  transferKey: v.string(),
  jobs: v.union(v.string(), v.null()),
  openings: v.optional(v.number()),
});

type Position = Infer<typeof ledgerPosition>;

export const ledgerStart: Position = { transferKey: "", jobs: null };

/**
 * Audits a part of the ledger by its entries and opening balances, not by any projection. A page has whole transfers, so its sum is zero
 * when the books are in order. More opening
 * balances than a page has sum to zero together.
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
  const orders = await ctx.db.query("orders").paginate({ numItems: size.jobs, cursor: after.jobs });
  const openings = await ctx.db
    .query("ledgerOpenings")
    .withIndex("by_creation_time", (q) => q.gt("_creationTime", after.openings ?? 0))
    .take(openingsAtOnce);
  const complete = entries.length === rows.length && orders.isDone && openings.length < openingsAtOnce;
  const byAccountKind = { ...noAmounts };
  for (const { account, micro } of [...entries, ...openings]) byAccountKind[kindOf(account)] += micro;
  const transferKey = entries.at(-1)?.transferKey ?? after.transferKey;
  return {
    report: {
      sum: Object.values(byAccountKind).reduce((sum, micro) => sum + micro, 0n),
      byAccountKind,
      jobs: await checkOrders(ctx, orders.page, closingsIn(entries)),
      complete,
    },
    next: complete
      ? null
      : {
          transferKey,
          jobs: orders.continueCursor,
          openings: openings.at(-1)?._creationTime ?? after.openings ?? 0,
        },
  };
}

/** Drops the last transfer when more rows were read than wanted: some of its entries may be missing. */
function wholeTransfers(
  rows: readonly Doc<"ledgerEntries">[],
  wanted: number,
): readonly Doc<"ledgerEntries">[] {
  const cut = rows[wanted]?.transferKey;
  return cut === undefined ? rows : rows.filter(({ transferKey }) => transferKey !== cut);
}

type Closings = {
  /** How often each round was closed, by transfer key: each closing has exactly one escrow entry. */
  readonly byKey: ReadonlyMap<string, number>;
  /** How often each job was paid, in all its rounds. */
  readonly paid: ReadonlyMap<string, number>;
};

function closingsIn(entries: readonly Doc<"ledgerEntries">[]): Closings {
  const byKey = new Map<string, number>();
  const paid = new Map<string, number>();
  for (const { account, kind, transferKey, jobId } of entries) {
    if (jobId === undefined || kindOf(account) !== "escrow") continue;
    if (kind === "settle" || kind === "release") byKey.set(transferKey, (byKey.get(transferKey) ?? 0) + 1);
    if (kind === "settle") paid.set(jobId, (paid.get(jobId) ?? 0) + 1);
  }
  return { byKey, paid };
}

/** Compares a page's orders with the queue's jobs. Their closing entries may be on another page. */
async function checkOrders(
  ctx: QueryCtx,
  orders: readonly Doc<"orders">[],
  { byKey, paid }: Closings,
): Promise<LedgerReport["jobs"]> {
  const states = await Promise.all(
    orders.map(async (order) => {
      const [job, closed] = await Promise.all([
        queue.status(ctx, order.organizationId, order.jobId),
        byKey.has(closingKey(order)) || isClosed(ctx, order),
      ]);
      // The queue deletes a job long before its order moves into an archive.
      return { final: job === null || isFinal(job.status), closed };
    }),
  );
  const twice = new Set([...repeatedIn(byKey), ...repeatedIn(paid)]);
  return {
    checked: orders.length,
    settledTwice: twice.size,
    unsettled: states.filter(({ final, closed }) => final && !closed).length,
    settledEarly: states.filter(({ final, closed }) => !final && closed).length,
  };
}

function repeatedIn(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].flatMap(([key, count]) => (count > 1 ? [key.replace(/^close:([^:]+):.*$/, "$1")] : []));
}

async function isClosed(ctx: QueryCtx, order: Doc<"orders">): Promise<boolean> {
  const entry = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", closingKey(order)))
    .first();
  return entry !== null;
}

/** Adds up two pages' reports. */
export function mergeReports(a: LedgerReport, b: LedgerReport): LedgerReport {
  return {
    sum: a.sum + b.sum,
    byAccountKind: Object.fromEntries(
      accountKinds.map((kind) => [kind, (a.byAccountKind[kind] ?? 0n) + (b.byAccountKind[kind] ?? 0n)]),
    ) as LedgerReport["byAccountKind"],
    jobs: {
      checked: a.jobs.checked + b.jobs.checked,
      settledTwice: a.jobs.settledTwice + b.jobs.settledTwice,
      unsettled: a.jobs.unsettled + b.jobs.unsettled,
      settledEarly: a.jobs.settledEarly + b.jobs.settledEarly,
    },
    complete: a.complete || b.complete,
  };
}
