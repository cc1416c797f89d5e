import { type Infer, v } from "convex/values";
import { rowLine } from "../../../app/archives/file.ts";
import type { ArchiveKind } from "../../../app/archives/kinds.ts";
import { assertNever } from "../../../app/assert-never.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { wholeMoments } from "../auditSeals.ts";
import { closingKey } from "../ledger/reservations.ts";
import { mostEntries } from "../ledger/transfer.ts";
import { ratingOf } from "../orders/jobRating.ts";
import { orderOf } from "../orders/orders.ts";
import { queue } from "../queue.ts";

/** Rows that move together, and the time that says to which month they belong; ms epoch. */
const rowGroup = v.object({ at: v.number(), lines: v.array(v.string()) });
type RowGroup = Infer<typeof rowGroup>;

export const rowPage = v.object({
  groups: v.array(rowGroup),
  /** The position after which the next page begins; null after the last one. */
  next: v.union(v.number(), v.null()),
});
export type RowPage = Infer<typeof rowPage>;

/** Rows of a page. Each order asks the queue for its job, and each transfer is read as a whole. */
const perPage = 100;
/** Seals of a page at most, and their rows, apart from those of the last seal. */
const sealsPerPage = 50;
const sealedRowsPerPage = 300;
/** Rows of one moment may be more than a seal has otherwise. */
const mostRowsOfSeal = 1_000;

type Range = {
  readonly organizationId: Id<"organizations">;
  /** The end of the page before; 0 for the first. A time, or the number of a seal. */
  readonly after: number;
  /** Only older rows; ms epoch. */
  readonly before: number;
};

/** The next rows of a kind that may move into an archive, oldest first. Rows that are still needed are left out. */
export async function movablePage(ctx: QueryCtx, kind: ArchiveKind, range: Range): Promise<RowPage> {
  switch (kind) {
    case "batches":
      return await batchPage(ctx, range);
    case "orders":
      return await orderPage(ctx, range);
    case "receipts":
      return await receiptPage(ctx, range);
    case "ledger":
      return await transferPage(ctx, range);
    case "credits":
      return await movePage(ctx, range);
    case "payouts":
      return await payoutPage(ctx, range);
    case "audit":
      return await trailPage(ctx, range);
    default:
      return assertNever(kind);
  }
}

/** A page of single rows. `found`: one more than a page, if there are so many. */
async function pageOf<Row extends { readonly _creationTime: number }>(
  table: string,
  found: readonly Row[],
  timeOf: (row: Row) => number,
  isMovable: (row: Row) => boolean | Promise<boolean> = () => true,
): Promise<RowPage> {
  const timed = found.map((row) => ({ row, _creationTime: timeOf(row) }));
  const whole = wholeMoments(timed, perPage);
  const movable = await Promise.all(whole.map(async ({ row }) => await isMovable(row)));
  return {
    groups: whole
      .filter((_, at) => movable[at])
      .map(({ row, _creationTime: at }) => ({ at, lines: [rowLine(table, row)] })),
    next: found.length > perPage ? (whole.at(-1)?._creationTime ?? null) : null,
  };
}

async function batchPage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const found = await ctx.db
    .query("batches")
    .withIndex("by_creation", (q) =>
      q.eq("organizationId", organizationId).gt("createdAt", after).lt("createdAt", before),
    )
    .take(perPage + 1);
  return await pageOf(
    "batches",
    found,
    ({ createdAt }) => createdAt,
    ({ open }) => open === undefined,
  );
}

async function orderPage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const found = await ctx.db
    .query("orders")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", after).lt("_creationTime", before),
    )
    .take(perPage + 1);
  return await pageOf(
    "orders",
    found,
    ({ _creationTime }) => _creationTime,
    async (order) => await isOver(ctx, order),
  );
}

/** Whether nothing about an order can change: the queue has deleted its job, it has no rating, and the reservation is closed. */
async function isOver(ctx: QueryCtx, order: Doc<"orders">): Promise<boolean> {
  if ((await queue.status(ctx, order.organizationId, order.jobId)) !== null) return false;
  if ((await ratingOf(ctx, order)) !== null) return false;
  const closing = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", closingKey(order)))
    .first();
  return closing !== null;
}

/** Whole transfers. Those of a job stay as long as its order: it must find out that it is closed. */
async function transferPage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const found = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", after).lt("_creationTime", before),
    )
    .take(perPage + 1);
  const rows = wholeMoments(found, perPage);
  const groups: RowGroup[] = [];
  const read = new Set<string>();
  for (const { transferKey, jobId, _creationTime: at } of rows) {
    if (read.has(transferKey)) continue;
    read.add(transferKey);
    if (jobId !== undefined && (await orderOf(ctx, jobId)) !== null) continue;
    const entries = await ctx.db
      .query("ledgerEntries")
      .withIndex("by_transfer", (q) => q.eq("transferKey", transferKey))
      .take(mostEntries);
    // A transfer that began on the page before was there.
    if (entries.some(({ _creationTime }) => _creationTime <= after)) continue;
    groups.push({ at, lines: entries.map((entry) => rowLine("ledgerEntries", entry)) });
  }
  return { groups, next: found.length > perPage ? (rows.at(-1)?._creationTime ?? null) : null };
}

async function movePage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const found = await ctx.db
    .query("creditMoves")
    .withIndex("by_time", (q) => q.eq("organizationId", organizationId).gt("at", after).lt("at", before))
    .take(perPage + 1);
  return await pageOf("creditMoves", found, ({ at }) => at);
}

async function payoutPage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const found = await ctx.db
    .query("payouts")
    .withIndex("by_time", (q) =>
      q.eq("organizationId", organizationId).gt("askedAt", after).lt("askedAt", before),
    )
    .take(perPage + 1);
  return await pageOf(
    "payouts",
    found,
    ({ askedAt }) => askedAt,
    ({ state }) => state !== "asked",
  );
}

type AnySeal = {
  readonly number: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
};

/**
 * Seals with their rows. The newest seal stays, since the next one needs its hash. A seal that does not have all of its rows stays, too: the
 * check of the chain must find it.
 */
async function sealedPage<Seal extends AnySeal>(
  seals: readonly Seal[],
  tables: readonly [seal: string, row: string],
  before: number,
  rowsOf: (seal: Seal) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<RowPage> {
  const groups: RowGroup[] = [];
  let count = 0;
  for (const seal of seals.slice(0, -1)) {
    if (seal.to >= before) break;
    if (count >= sealedRowsPerPage || groups.length === sealsPerPage)
      return { groups, next: seal.number - 1 };
    const rows = await rowsOf(seal);
    if (rows.length !== seal.count) break;
    count += rows.length;
    const lines = [rowLine(tables[0], seal), ...rows.map((row) => rowLine(tables[1], row))];
    groups.push({ at: seal.to, lines });
  }
  return { groups, next: null };
}

async function trailPage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const seals = await ctx.db
    .query("auditSeals")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId).gt("number", after))
    .take(sealsPerPage + 2);
  return await sealedPage(
    seals,
    ["auditSeals", "audit"],
    before,
    async ({ from, to }) =>
      await ctx.db
        .query("audit")
        .withIndex("by_organization", (q) =>
          q.eq("organizationId", organizationId).gte("_creationTime", from).lte("_creationTime", to),
        )
        .take(mostRowsOfSeal),
  );
}

async function receiptPage(ctx: QueryCtx, { organizationId, after, before }: Range): Promise<RowPage> {
  const seals = await ctx.db
    .query("receiptSeals")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId).gt("number", after))
    .take(sealsPerPage + 2);
  return await sealedPage(
    seals,
    ["receiptSeals", "receipts"],
    before,
    async ({ from, to }) =>
      await ctx.db
        .query("receipts")
        .withIndex("by_organization", (q) =>
          q.eq("organizationId", organizationId).gte("_creationTime", from).lte("_creationTime", to),
        )
        .take(mostRowsOfSeal),
  );
}
