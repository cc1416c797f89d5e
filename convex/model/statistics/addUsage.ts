import { type EndedJob, everything, tallyEach } from "../../../app/statistics/fold.ts";
import { tokensOfDevices } from "../../../app/statistics/model-tokens.ts";
import { mergeSubjects, noSubject, otherSubject, type SubjectKind } from "../../../app/statistics/tally.ts";
import { type DaySum, daySumOf, mergeDays, monthOf, storedDay } from "../../../app/usage/months.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

/** As long as a member may look back, and the same month of the year before. */
const keptMs = 400 * 86_400_000;
/** Rows that are kept for too long are deleted a few at a time, whenever a new one is written. */
const perSweep = 3;

const kinds = ["all", "key", "member", "team", "device"] as const satisfies readonly SubjectKind[];

/**
 * Adds jobs that ended on one day to the usage of their keys, owners, devices and organization. Called where the statistics
 * count them, so each job is added once.
 */
export async function addUsage(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  day: number,
  jobs: readonly EndedJob[],
): Promise<void> {
  const month = monthOf(day);
  const earlier = new Map(
    tallyEach(
      "key",
      jobs.filter(({ submittedAt }) => submittedAt < month),
    ).map(({ subject, tally }) => [subject, tally.micro]),
  );
  const byModel = tokensOfDevices(jobs);
  for (const kind of kinds) {
    for (const { subject, tally } of tallyEach(kind, jobs)) {
      if (subject === noSubject || subject === otherSubject) continue;
      const id = subject === everything && kind === "all" ? organizationId : subject;
      const models = kind === "device" ? byModel.get(subject) : undefined;
      const earlierMicro = kind === "key" ? (earlier.get(subject) ?? 0n) : 0n;
      await addToMonth(ctx, organizationId, id, daySumOf(day, tally, models), earlierMicro);
    }
  }
  for (const [owner, own] of byOwner(ctx, jobs)) await addToOwnDay(ctx, organizationId, owner, day, own);
}

async function addToMonth(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  subject: string,
  sum: DaySum,
  earlierMicro: bigint,
): Promise<void> {
  const startAt = monthOf(sum.startAt);
  const row = await ctx.db
    .query("usageMonths")
    .withIndex("by_subject", (q) => q.eq("subject", subject).eq("startAt", startAt))
    .unique();
  if (row !== null) {
    await ctx.db.patch("usageMonths", row._id, {
      days: mergeDays([row.days, [sum]]).map(storedDay),
      ...(earlierMicro === 0n ? {} : { earlierMicro: (row.earlierMicro ?? 0n) + earlierMicro }),
    });
    return;
  }
  await ctx.db.insert("usageMonths", {
    organizationId,
    subject,
    startAt,
    days: [storedDay(sum)],
    ...(earlierMicro === 0n ? {} : { earlierMicro }),
  });
  const old = await ctx.db
    .query("usageMonths")
    .withIndex("by_subject", (q) => q.eq("subject", subject).lt("startAt", startAt - keptMs))
    .take(perSweep);
  for (const { _id } of old) await ctx.db.delete("usageMonths", _id);
}

type Owner = Doc<"ownUsageDays">["owner"];

function byOwner(ctx: MutationCtx, jobs: readonly EndedJob[]): Map<Owner, EndedJob[]> {
  const owned = new Map<Owner, EndedJob[]>();
  for (const job of jobs) {
    const { kind, id = "" } = job.owner ?? {};
    const owner = ctx.db.normalizeId(kind === "member" ? "members" : "teams", id);
    if (owner !== null) owned.set(owner, [...(owned.get(owner) ?? []), job]);
  }
  return owned;
}

async function addToOwnDay(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  owner: Owner,
  startAt: number,
  jobs: readonly EndedJob[],
): Promise<void> {
  const [keys, models] = [tallyEach("key", jobs), tallyEach("model", jobs)];
  const row = await ctx.db
    .query("ownUsageDays")
    .withIndex("by_owner", (q) => q.eq("owner", owner).eq("startAt", startAt))
    .unique();
  if (row !== null) {
    await ctx.db.patch("ownUsageDays", row._id, {
      keys: mergeSubjects([row.keys, keys]),
      models: mergeSubjects([row.models, models]),
    });
    return;
  }
  const bounded = { keys: mergeSubjects([keys]), models: mergeSubjects([models]) };
  await ctx.db.insert("ownUsageDays", { organizationId, owner, startAt, ...bounded });
  const old = await ctx.db
    .query("ownUsageDays")
    .withIndex("by_owner", (q) => q.eq("owner", owner).lt("startAt", startAt - keptMs))
    .take(perSweep);
  for (const { _id } of old) await ctx.db.delete("ownUsageDays", _id);
}
