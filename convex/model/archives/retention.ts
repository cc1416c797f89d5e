import { v } from "convex/values";
import {
  archivedBefore,
  type ArchiveKind,
  archiveKinds,
  keptDays,
  mostKeptDays,
} from "../../../app/archives/kinds.ts";
import { changesText } from "../../../app/audit/changes.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";
import { findProgress } from "../statistics/seal.ts";
import { archiveKind } from "../validators/files.ts";

const maxReasonChars = 200;

export const retentionRow = v.object({
  kind: archiveKind,
  days: v.number(),
  /** The time without a setting. */
  standard: v.number(),
  least: v.number(),
  most: v.number(),
  /** The reason for the least. */
  why: v.string(),
  /** Rows before then are in archives, or will be soon; ms epoch. */
  before: v.number(),
  /** The end of the last month of which rows are in an archive; null: there is no archive. */
  archivedTo: v.union(v.number(), v.null()),
});

/** How long an organization keeps each kind. */
export async function retentionOf(ctx: QueryCtx, organizationId: Id<"organizations">, now: number) {
  const row = await settingsRow(ctx, organizationId);
  return await Promise.all(
    archiveKinds.map(async (kind) => {
      const { days: standard, least, why } = keptDays[kind];
      const days = daysIn(row, kind);
      const newest = await newestArchive(ctx, organizationId, kind);
      const archivedTo = newest === null ? null : monthOf(newest.month, 1);
      const before = archivedBefore(now, days);
      return { kind, days, standard, least, most: mostKeptDays, why, before, archivedTo };
    }),
  );
}

/** The newest archive of a kind; null before the first. */
export async function newestArchive(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  kind: ArchiveKind,
): Promise<Doc<"archives"> | null> {
  return await ctx.db
    .query("archives")
    .withIndex("by_number", (q) => q.eq("organizationId", organizationId).eq("kind", kind))
    .order("desc")
    .first();
}

async function settingsRow(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"retentions"> | null> {
  return await ctx.db
    .query("retentions")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

function daysIn(row: Doc<"retentions"> | null, kind: ArchiveKind): number {
  return row?.days[kind] ?? keptDays[kind].days;
}

/** Sets how long a kind is kept; null: the default. Refuses: invalid. */
export async function setRetention(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  {
    kind,
    days: wanted,
    reason,
  }: { readonly kind: ArchiveKind; readonly days: number | null; readonly reason: string },
  by: Act,
): Promise<void> {
  const { least, days: standard, name } = keptDays[kind];
  const days =
    wanted === null ? standard : boundedInteger(wanted, `The days of ${name}`, least, mostKeptDays);
  const why = boundedText(reason.trim(), "The reason", maxReasonChars);
  const row = await settingsRow(ctx, organizationId);
  const before = daysIn(row, kind);
  if (days === before) return;
  const after = { ...row?.days, [kind]: days };
  const daysOf = (one: ArchiveKind): number => (one === kind ? days : daysIn(row, one));
  if (daysOf("orders") > daysOf("ledger"))
    refuse("invalid", "The ledger is kept at least as long as jobs, since each job needs its entries.");
  if (row === null) await ctx.db.insert("retentions", { organizationId, days: after });
  else await ctx.db.patch("retentions", row._id, { days: after });
  const changes = changesText([[`days of ${name}`, String(before), String(days)]]);
  const detail = `${changes}. ${why}`;
  await record(ctx, { organizationId, ...by, action: "retention.changed", subject: organizationId, detail });
}

/**
 * Rows of this kind before this moment may move into archives; ms epoch. Entries of the ledger stay until they are projected and counted in the
 * statistics.
 */
export async function movableBefore(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  kind: ArchiveKind,
  now: number,
): Promise<number> {
  const before = archivedBefore(now, daysIn(await settingsRow(ctx, organizationId), kind));
  if (kind !== "ledger" && kind !== "orders") return before;
  const progress = await findProgress(ctx, organizationId);
  const pending = [
    await oldestPending(ctx, organizationId, undefined),
    await oldestPending(ctx, organizationId, true),
  ];
  return Math.min(before, progress?.countedTo ?? 0, ...pending);
}

/** The time of the oldest entry that is not projected, of reservations or of the others; ms epoch. */
async function oldestPending(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  reserves: boolean | undefined,
): Promise<number> {
  const oldest = await ctx.db
    .query("ledgerPending")
    .withIndex("by_organization_reserves", (q) =>
      q.eq("organizationId", organizationId).eq("reserves", reserves),
    )
    .first();
  return oldest?._creationTime ?? Infinity;
}
