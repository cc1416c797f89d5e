import { defineTable } from "convex/server";
import { v } from "convex/values";
import { owner } from "../model/validators/people.ts";
import {
  budgetSubject,
  daySum,
  depthKind,
  depthSample,
  subjectKind,
  tally,
  usageFacts,
} from "../model/validators/statistics.ts";

/** Statistics, usage and budgets. */
export const usageTables = {
  /**
   * Counts of the jobs that ended in a bucket of time, by model, lane, key and device. One row per kind of subject and
   * bucket: the tallies of its subjects, which are bounded in number and size. Written once a minute by
   * model/statistics/, never by a job.
   */
  statistics: defineTable({
    organizationId: v.id("organizations"),
    by: subjectKind,
    /** The bucket's length: five minutes, an hour or a day; 0 for the sums of all time. */
    spanMs: v.number(),
    /** ms epoch; 0 for the sums of all time. */
    startAt: v.number(),
    subjects: v.array(v.object({ subject: v.string(), tally })),
  }).index("by_bucket", ["organizationId", "spanMs", "by", "startAt"]),

  /** How far the ledger is counted in an organization's statistics. Written by model/statistics/seal.ts. */
  statisticsProgress: defineTable({
    organizationId: v.id("organizations"),
    /** Entries that were created up to then are counted; ms epoch with fractions, as Convex creates rows. */
    countedTo: v.number(),
    /** Buckets of five minutes before then are in buckets of hours, and those of hours in days. */
    hoursTo: v.number(),
    daysTo: v.number(),
    /** Jobs that ended since then are counted by owner, and in `usageMonths`. Absent: none yet. */
    usageFrom: v.optional(v.number()),
  }).index("by_organization", ["organizationId"]),

  /**
   * The days of one month (UTC) of a key, a member, a team, a device or the organization: what it spent or earned. Written
   * once a minute by model/statistics/addUsage.ts, and kept for 13 months.
   */
  usageMonths: defineTable({
    organizationId: v.id("organizations"),
    /** The id of its subject. */
    subject: v.string(),
    startAt: v.number(),
    days: v.array(daySum),
    /** The part of a key's days that jobs cost which were submitted in earlier months. */
    earlierMicro: v.optional(v.int64()),
  }).index("by_subject", ["subject", "startAt"]),

  /** The jobs of the keys of a member or a team on one day (UTC), by key and by model. Written and kept as `usageMonths`. */
  ownUsageDays: defineTable({
    organizationId: v.id("organizations"),
    owner,
    startAt: v.number(),
    keys: v.array(v.object({ subject: v.string(), tally })),
    models: v.array(v.object({ subject: v.string(), tally })),
  }).index("by_owner", ["owner", "startAt"]),

  /** The prices and figures that an organization compares its usage with. Written by console/usage.setFacts. */
  usageFacts: defineTable({ organizationId: v.id("organizations"), ...usageFacts.fields }).index(
    "by_organization",
    ["organizationId"],
  ),

  /** The credits that a key, a member or a team should not exceed in a month. Written by console/budgets.set. */
  budgets: defineTable({
    organizationId: v.id("organizations"),
    subject: budgetSubject,
    monthlyMicro: v.int64(),
    /** New jobs are refused once it is used up. Absent: it only warns. */
    stops: v.optional(v.boolean()),
    createdAt: v.number(),
    /** The last warning, and the start of its month. Written by model/alerts/budgetWarnings.ts. */
    warned: v.optional(v.object({ month: v.number(), state: v.union(v.literal("near"), v.literal("over")) })),
  })
    .index("by_organization", ["organizationId"])
    .index("by_subject", ["subject"]),

  /**
   * The part of a budget that only submissions of this row may take, so that the calls of its keys do not conflict. Only of budgets that
   * stop. Written by model/usage/budgetStops.ts.
   */
  budgetHolds: defineTable({
    budgetId: v.id("budgets"),
    /** As in `keyHolds`. */
    shard: v.number(),
    /** The start of the month (UTC) of which it is a part. In later months there is nothing left of it. */
    month: v.number(),
    leftMicro: v.int64(),
    /** All that submissions of this row have taken. */
    spentMicro: v.int64(),
    /** That all rows together had taken and left so much of the month's budget, when somebody last looked at its jobs. */
    known: v.optional(v.object({ at: v.number(), micro: v.int64() })),
    /** Set near the end of the budget: then nothing is left of the portion, so that its jobs are looked at again. */
    until: v.optional(v.number()),
  }).index("by_budget", ["budgetId", "shard"]),

  /**
   * The jobs that had not ended, minute by minute in one hour: of all jobs, of a model, a lane or a key. Those without such
   * jobs have no sample. The subject "" of a model, a lane or a key is all others. Written by fleet/steps.addDepth, and kept for eight days.
   */
  queueDepths: defineTable({
    organizationId: v.id("organizations"),
    by: depthKind,
    subject: v.string(),
    startAt: v.number(),
    samples: v.array(depthSample),
  })
    .index("by_subject", ["organizationId", "by", "subject", "startAt"])
    .index("by_start", ["organizationId", "startAt"]),

  /** The token with which an organization's metrics are read: one at most is not revoked. Written by model/statistics/token.ts. */
  metricsTokens: defineTable({
    organizationId: v.id("organizations"),
    tokenHash: v.string(),
    createdAt: v.number(),
    /** Kept, so that a restore does not bring the token back. */
    revokedAt: v.optional(v.number()),
  })
    .index("by_hash", ["tokenHash"])
    .index("by_organization", ["organizationId", "revokedAt"]),
};
