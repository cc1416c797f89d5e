import { type Infer, v } from "convex/values";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import {
  emptyTally,
  mergeSubjects,
  mergeTallies,
  noSubject,
  otherSubject,
  type SubjectKind,
  type SubjectTally,
} from "../../../app/statistics/tally.ts";
import { figuresOf, figuresOfDays } from "../../../app/usage/figures.ts";
import type { UsageBy, UsageDays, UsageRow } from "../../../app/usage/usage-table.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";
import { bucketsOf, nameOf } from "../statistics/report.ts";
import { findProgress } from "../statistics/seal.ts";
import { type usageFacts, usageRow } from "../validators/statistics.ts";
import { factsOf } from "./facts.ts";
import { daysSince } from "./months.ts";

export const usageReport = v.object({
  /** Every day of the time that has jobs; the subject is the day. */
  days: v.array(usageRow),
  /** Those with the most jobs first. The subject "" has all others, and "none" those without an owner or a group. */
  rows: v.array(usageRow),
  /** Owners and groups are counted since then (ms epoch). Null: nothing is counted yet. */
  since: v.union(v.number(), v.null()),
});
export type UsageReport = Infer<typeof usageReport>;

/** The time of a report: whole days of UTC, of which the last is not over. `until`: ms epoch. */
export type Wanted = { readonly by: UsageBy; readonly days: UsageDays; readonly until: number };

/** The start of the first day of a report. Its last day holds the moment before `until`. */
export function firstDay({ days, until }: Pick<Wanted, "days" | "until">): number {
  return bucketOf(until - 1, spans.day) - (days - 1) * spans.day;
}

type Bucket = { readonly startAt: number; readonly subjects: readonly SubjectTally[] };

/** The usage of an organization: merged from the buckets of its statistics, so the numbers are the same as there. */
export async function usageOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  wanted: Wanted,
): Promise<UsageReport> {
  const progress = await findProgress(ctx, organizationId);
  if (progress === null) return { days: [], rows: [], since: null };
  const { by } = wanted;
  const read = async (kind: SubjectKind, before?: number): Promise<Bucket[]> =>
    await bucketsOf(ctx, progress, kind, "day", firstDay(wanted), before);
  if (by === "day") {
    const days = dayRows(await read("all"));
    return { days, rows: days, since: progress.usageFrom ?? null };
  }
  const parts = await read(by);
  // Every job is counted by model and by key, and all of them by owner since owners are counted. Days of devices are about
  // attempts, so they are added up from the devices themselves.
  const from = by === "team" || by === "member" ? (progress.usageFrom ?? Infinity) : -Infinity;
  const earlier = from === -Infinity ? [] : await read("all", from);
  const known = parts.filter(({ startAt }) => startAt < from).flatMap((part) => part.subjects);
  const subjects = mergeSubjects(parts.map((part) => part.subjects));
  const rows = mergeSubjects([subjects, uncounted(earlier, known)]);
  return {
    days: dayRows([...earlier, ...parts.filter(({ startAt }) => startAt >= from)]),
    rows: await named(ctx, organizationId, by, rows),
    since: progress.usageFrom ?? null,
  };
}

/** The usage of the keys of one member or team. */
export async function ownUsageOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owner: Doc<"ownUsageDays">["owner"],
  wanted: Wanted & { readonly by: "day" | "model" | "key" },
): Promise<UsageReport> {
  const [progress, stored] = await Promise.all([
    findProgress(ctx, organizationId),
    ctx.db
      .query("ownUsageDays")
      .withIndex("by_owner", (q) => q.eq("owner", owner).gte("startAt", firstDay(wanted)))
      .take(wanted.days + 1),
  ]);
  const days = dayRows(stored.map(({ startAt, keys }) => ({ startAt, subjects: keys })));
  const { by } = wanted;
  const since = progress?.usageFrom ?? null;
  if (by === "day") return { days, rows: days, since };
  const subjects = mergeSubjects(stored.map(({ keys, models }) => (by === "key" ? keys : models)));
  return { days, rows: await named(ctx, organizationId, by, subjects), since };
}

function dayRows(buckets: readonly Bucket[]): UsageRow[] {
  const byDay = new Map<number, SubjectTally[]>();
  for (const { startAt, subjects } of buckets) {
    const day = bucketOf(startAt, spans.day);
    byDay.set(day, [...(byDay.get(day) ?? []), ...subjects]);
  }
  return [...byDay]
    .sort(([a], [b]) => a - b)
    .map(([day, subjects]) => ({ subject: dateOf(day), name: null, ...figuresOf(sumOf(subjects)) }));
}

/** "2027-01-15". */
export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

function sumOf(subjects: readonly SubjectTally[]) {
  return mergeTallies(subjects.map(({ tally }) => tally));
}

/**
 * The jobs that ended before they were counted by these subjects, as others: so the totals of all groupings are equal. Their
 * waits are unknown.
 */
function uncounted(all: readonly Bucket[], subjects: readonly SubjectTally[]): SubjectTally[] {
  const [total, known] = [sumOf(all.flatMap((bucket) => bucket.subjects)), sumOf(subjects)];
  const rest = {
    ...emptyTally(),
    succeeded: total.succeeded - known.succeeded,
    failed: total.failed - known.failed,
    canceled: total.canceled - known.canceled,
    expired: total.expired - known.expired,
    promptTokens: total.promptTokens - known.promptTokens,
    completionTokens: total.completionTokens - known.completionTokens,
    micro: total.micro - known.micro,
    run: { bins: [], counts: [], sum: total.run.sum - known.run.sum },
  };
  const isNone = rest.succeeded + rest.failed + rest.canceled + rest.expired === 0;
  return isNone ? [] : [{ subject: otherSubject, tally: rest }];
}

async function named(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  by: SubjectKind,
  subjects: readonly SubjectTally[],
): Promise<UsageRow[]> {
  return await Promise.all(
    subjects.map(async ({ subject, tally }) => ({
      subject,
      name: subject === noSubject && by !== "model" ? null : await nameOf(ctx, organizationId, by, subject),
      ...figuresOf(tally),
    })),
  );
}

/** The days of one API key, and what its organization compares them with. */
export async function keyUsageOf(
  ctx: QueryCtx,
  keyId: Id<"apiKeys">,
  wanted: Pick<Wanted, "days" | "until">,
): Promise<{ readonly rows: UsageRow[]; readonly facts: Infer<typeof usageFacts> }> {
  const { organizationId } = present(await ctx.db.get("apiKeys", keyId), "admitted key");
  const days = await daysSince(ctx, keyId, firstDay(wanted));
  const rows = days.map((day) => ({ subject: dateOf(day.startAt), name: null, ...figuresOfDays(day) }));
  return { rows, facts: await factsOf(ctx, organizationId) };
}
