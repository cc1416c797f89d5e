import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import type { TallySummary } from "../../../app/statistics/summary.ts";
import { subjectKinds, type Tally } from "../../../app/statistics/tally.ts";
import type { DaySum } from "../../../app/usage/months.ts";
import type { UsageRow } from "../../../app/usage/usage-table.ts";
import type { Same } from "./same.ts";

export const subjectKind = literals(...subjectKinds);

const sketch = v.object({ bins: v.array(v.number()), counts: v.array(v.number()), sum: v.number() });

const tallyCounts = {
  succeeded: v.number(),
  failed: v.number(),
  canceled: v.number(),
  expired: v.number(),
  retried: v.number(),
  returned: v.number(),
  lost: v.number(),
  stolen: v.number(),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
};

/** app/energy/energy-sum.ts. */
const energySum = v.object({
  microWh: v.number(),
  measuredMicroWh: v.number(),
  runMs: v.number(),
  byHour: v.optional(v.record(v.string(), v.number())),
});

/** Counts of a subject's jobs in a span of time, by how they went: app/statistics/tally.ts. */
export const tally = v.object({ ...tallyCounts, energy: v.optional(energySum), wait: sketch, run: sketch });
true satisfies Same<Infer<typeof tally>, Tally>;

const spread = v.union(v.object({ p50: v.number(), p95: v.number(), p99: v.number() }), v.null());

/** A tally as people read it: app/statistics/summary.ts. */
export const tallySummary = v.object({
  ...tallyCounts,
  wait: spread,
  run: spread,
  successRate: v.union(v.number(), v.null()),
});
true satisfies Same<Infer<typeof tallySummary>, TallySummary>;

/** app/statistics/model-tokens.ts. */
export const modelTokens = v.object({
  subject: v.string(),
  promptTokens: v.number(),
  completionTokens: v.number(),
});

/** A day of a month: app/usage/months.ts. */
export const daySum = v.object({
  startAt: v.number(),
  jobs: v.number(),
  answered: v.number(),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
  runMs: v.number(),
  energy: v.optional(energySum),
  models: v.optional(v.array(modelTokens)),
});
true satisfies Same<Infer<typeof daySum>, DaySum>;

/** The figures that an organization compares its usage with: app/usage/comparison.ts. */
export const usageFacts = v.object({
  cloudPrices: v.array(v.object({ modelId: v.string(), prompt: v.number(), completion: v.number() })),
  /** Such as "EUR". */
  currency: v.string(),
  watts: v.union(v.number(), v.null()),
  gramsPerKwh: v.union(v.number(), v.array(v.number()), v.null()),
});

/** A usage table's row: app/usage/usage-table.ts. */
export const usageRow = v.object({
  subject: v.string(),
  name: v.union(v.string(), v.null()),
  jobs: v.number(),
  succeeded: v.number(),
  successRate: v.union(v.number(), v.null()),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
  runMs: v.number(),
  energy: v.union(energySum, v.null()),
  waitP50: v.union(v.number(), v.null()),
  waitP95: v.union(v.number(), v.null()),
});
true satisfies Same<Infer<typeof usageRow>, UsageRow>;

/** The member, team or key whose spending a budget watches. */
export const budgetSubject = v.union(v.id("apiKeys"), v.id("members"), v.id("teams"));

export const depthKind = literals("all", "model", "lane", "key");

/** The jobs that had not ended at a moment. */
export const depthSample = v.object({
  at: v.number(),
  ready: v.number(),
  waiting: v.number(),
  running: v.number(),
});
