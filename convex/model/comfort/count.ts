import { type ComfortCounts, countHours, mergeComfort } from "../../../app/comfort/fleet.ts";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { wholeMoments } from "../auditSeals.ts";
import { keptMs } from "./hours.ts";

const rowsPerPiece = 300;
/** Younger rows wait: a mutation that began earlier may be committed later. Convex ends a mutation within seconds. */
const settledForMs = 30_000;
const daysKeptMs = 35 * spans.day;
const perSweep = 3;
/** The days that a week touches. */
const daysOfWeek = 8;

/**
 * Counts the next measured hours of an organization's devices in the buckets of their days, each once: the position moves in
 * the same transaction. A device's report writes no row that other reports write.
 * Then, if no hour is left to count, deletes hours that were kept for long enough.
 * @returns whether there may be more to do.
 */
export async function countPiece(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<boolean> {
  const progress = await ctx.db
    .query("comfortProgress")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
  const { rows, more } = await nextRows(ctx, organizationId, progress?.countedTo ?? 0, now - settledForMs);
  await countRows(ctx, organizationId, rows, progress);
  return more || (await forgetOld(ctx, organizationId, now - keptMs - spans.day));
}

async function countRows(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  rows: readonly Doc<"comfortHours">[],
  progress: Doc<"comfortProgress"> | null,
): Promise<void> {
  const last = rows.at(-1);
  if (last === undefined) return;
  const byDay = new Map<number, Doc<"comfortHours">[]>();
  for (const row of rows) {
    const startAt = bucketOf(row.startAt, spans.day);
    byDay.set(startAt, [...(byDay.get(startAt) ?? []), row]);
  }
  for (const [startAt, some] of byDay) {
    const counts = countHours(some.map((hour) => ({ deviceId: hour.deviceId, hour })));
    await addToDay(ctx, organizationId, startAt, counts);
  }
  const countedTo = last._creationTime;
  if (progress === null) await ctx.db.insert("comfortProgress", { organizationId, countedTo });
  else await ctx.db.patch("comfortProgress", progress._id, { countedTo });
}

/** The next rows, in whole moments. */
async function nextRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  countedTo: number,
  before: number,
): Promise<{ readonly rows: readonly Doc<"comfortHours">[]; readonly more: boolean }> {
  const found = await ctx.db
    .query("comfortHours")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", countedTo).lt("_creationTime", before),
    )
    .take(rowsPerPiece + 1);
  return { rows: wholeMoments(found, rowsPerPiece), more: found.length > rowsPerPiece };
}

/** Deletes hours that were reported before then, some at a time. Returns whether there may be more. */
async function forgetOld(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  before: number,
): Promise<boolean> {
  const old = await ctx.db
    .query("comfortHours")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).lt("_creationTime", before))
    .take(rowsPerPiece);
  for (const { _id } of old) await ctx.db.delete("comfortHours", _id);
  return old.length === rowsPerPiece;
}

async function addToDay(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  startAt: number,
  added: ComfortCounts,
): Promise<void> {
  if (added.hours === 0) return;
  const day = await ctx.db
    .query("comfortDays")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("startAt", startAt))
    .unique();
  if (day !== null) {
    await ctx.db.patch("comfortDays", day._id, { counts: mergeComfort([day.counts, added]) });
    return;
  }
  await ctx.db.insert("comfortDays", { organizationId, startAt, counts: added });
  const old = await ctx.db
    .query("comfortDays")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).lt("startAt", startAt - daysKeptMs),
    )
    .take(perSweep);
  for (const { _id } of old) await ctx.db.delete("comfortDays", _id);
}

/** The counts of the days that the week before `until` touches. */
export async function weekOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  until: number,
): Promise<ComfortCounts> {
  const days = await ctx.db
    .query("comfortDays")
    .withIndex("by_organization", (q) =>
      q
        .eq("organizationId", organizationId)
        .gte("startAt", bucketOf(until - 7 * spans.day, spans.day))
        .lte("startAt", until),
    )
    .take(daysOfWeek);
  return mergeComfort(days.map(({ counts }) => counts));
}
