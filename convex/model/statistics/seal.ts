import { type EndedJob, foldJobs } from "../../../app/statistics/fold.ts";
import { bucketOf, spans } from "../../../app/statistics/spans.ts";
import {
  mergeSubjects,
  otherSubject,
  subjectKinds,
  type SubjectTally,
} from "../../../app/statistics/tally.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { wholeMoments } from "../auditSeals.ts";
import { addKeyJobs, type KeyJob } from "../credits/keyStatement.ts";
import { type AnsweredJob, learnShares } from "../ledger/likely.ts";
import { closingRound } from "../ledger/reservations.ts";
import { escrowAccount } from "../ledger/transfer.ts";
import { present } from "../refuse.ts";
import { addUsage } from "./addUsage.ts";
import { type Closing, endedJobs } from "./ended.ts";
import { type Bucket, rollUp, rowOf } from "./rollUp.ts";

/** Four or five entries a job: some hundred jobs. */
const entriesPerPiece = 400;
/** Younger entries wait: a mutation that began earlier may be committed later. Convex ends a mutation within seconds. */
const settledForMs = 30_000;
/** The past that the first count of an organization covers. */
const firstCountMs = spans.day;

type Progress = Doc<"statisticsProgress">;

/**
 * Counts the next jobs that ended, from the ledger's entries that closed their reservations: each once, since the position
 * moves in the same transaction. A job itself writes nothing for its statistics.
 * @returns whether there may be more to do.
 */
export async function sealPiece(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<boolean> {
  const progress = await progressOf(ctx, organizationId, now);
  const before = now - settledForMs;
  const { entries, more } = await nextEntries(ctx, progress, before);
  const last = entries.at(-1);
  if (last !== undefined) {
    const closings = entries.flatMap(closingOf);
    await addJobs(ctx, organizationId, closings);
    await checkSoon(ctx, organizationId, closings);
    const { countedTo, usageFrom = countedTo } = progress;
    await ctx.db.patch("statisticsProgress", progress._id, { countedTo: last._creationTime, usageFrom });
  }
  if (more) return true;
  return (await rollUp(ctx, progress, "hour", before)) || (await rollUp(ctx, progress, "day", before));
}

/**
 * Has the checks of answers chosen, and failures noted, each once. In another transaction, so that a mistake there stops no count. It
 * only inserts a row: one run goes through the rows of all pieces, since choices of several at once would conflict.
 */
async function checkSoon(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  closings: readonly Closing[],
): Promise<void> {
  const jobs = closings.map(({ entry, jobId, round }) => ({
    jobId,
    round: entry.kind === "settle" ? null : round,
  }));
  if (jobs.length === 0) return;
  await ctx.db.insert("checkBatches", { organizationId, jobs });
  await ctx.scheduler.runAfter(0, internal.trust.checks.choose, { organizationId });
}

async function progressOf(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<Progress> {
  const known = await findProgress(ctx, organizationId);
  if (known !== null) return known;
  const { createdAt } = present(await ctx.db.get("organizations", organizationId), "organization");
  const countedTo = Math.max(createdAt - 1, now - firstCountMs);
  const hoursTo = bucketOf(countedTo, spans.hour);
  const daysTo = bucketOf(countedTo, spans.day);
  const start = { organizationId, countedTo, hoursTo, daysTo };
  const id = await ctx.db.insert("statisticsProgress", start);
  return present(await ctx.db.get("statisticsProgress", id), "progress");
}

export async function findProgress(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Progress | null> {
  return await ctx.db
    .query("statisticsProgress")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** The next entries, in whole moments. */
async function nextEntries(
  ctx: MutationCtx,
  { organizationId, countedTo }: Progress,
  before: number,
): Promise<{ readonly entries: readonly Doc<"ledgerEntries">[]; readonly more: boolean }> {
  const found = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_organization", (q) =>
      q.eq("organizationId", organizationId).gt("_creationTime", countedTo).lt("_creationTime", before),
    )
    .take(entriesPerPiece + 1);
  return { entries: wholeMoments(found, entriesPerPiece), more: found.length > entriesPerPiece };
}

/** A job's reservation is closed once a round, by one entry of escrow. */
function closingOf(entry: Doc<"ledgerEntries">): Closing[] {
  const round = closingRound(entry);
  const isClosing = round !== null && entry.account === escrowAccount(entry.organizationId);
  return isClosing && entry.jobId !== undefined ? [{ entry, jobId: entry.jobId, round }] : [];
}

async function addJobs(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  closings: readonly Closing[],
): Promise<void> {
  const byBucket = new Map<number, Closing[]>();
  for (const closing of closings) {
    const startAt = bucketOf(closing.entry._creationTime, spans.short);
    byBucket.set(startAt, [...(byBucket.get(startAt) ?? []), closing]);
  }
  const all: EndedJob[] = [];
  const answered: AnsweredJob[] = [];
  const ofKeys: KeyJob[] = [];
  const byDay = new Map<number, EndedJob[]>();
  for (const [startAt, some] of byBucket) {
    const jobs = await endedJobs(ctx, some);
    all.push(...jobs);
    ofKeys.push(...jobs.map(({ ofKey }) => ofKey));
    answered.push(...jobs.flatMap((job) => job.answered ?? []));
    const day = bucketOf(startAt, spans.day);
    byDay.set(day, [...(byDay.get(day) ?? []), ...jobs]);
    const folded = foldJobs(jobs);
    for (const by of subjectKinds) {
      await addTallies(ctx, { organizationId, by, spanMs: spans.short, startAt }, folded[by]);
    }
  }
  for (const [day, jobs] of byDay) await addUsage(ctx, organizationId, day, jobs);
  await learnShares(ctx, answered);
  await addKeyJobs(ctx, organizationId, ofKeys);
  // Only the sums of models are read.
  const total = { organizationId, by: "model", spanMs: spans.total, startAt: 0 } as const;
  await addTallies(ctx, total, foldJobs(all).model);
}

async function addTallies(ctx: MutationCtx, bucket: Bucket, added: SubjectTally[]): Promise<void> {
  if (added.length === 0) return;
  const row = await rowOf(ctx, bucket);
  if (row === null) {
    await ctx.db.insert("statistics", { ...bucket, subjects: added });
    return;
  }
  const names = row.subjects.map(({ subject }) => subject).filter((subject) => subject !== otherSubject);
  const kept = new Set(bucket.spanMs === spans.total ? names : []);
  await ctx.db.patch("statistics", row._id, { subjects: mergeSubjects([row.subjects, added], kept) });
}
