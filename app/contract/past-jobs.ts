import * as z from "zod";
import { energySources } from "../energy/job-energy.ts";
import { attemptStatuses } from "../jobs/states.ts";
import { standingRanks } from "../trust/told-standing.ts";
import { instant } from "./donor-answers.ts";
import type { PayReason } from "./sentences/pay-words.ts";
import type { HistoryRow } from "./snapshot.ts";

const count = z.number().int().min(0);
/** Micro-credits as a decimal string: JSON has no integers of that size. */
const micro = z.string().regex(/^-?\d{1,30}$/);
const name = z.string().max(1_000);

/** The wanted jobs of a history. */
export const historyFilter = z.object({
  /** A part of the model's name. */
  model: z.string().trim().min(1).max(200).optional(),
  kind: z.string().min(1).max(200).optional(),
  status: z.enum(attemptStatuses).optional(),
  /** The job ended at or after `from`, and before `to`. */
  from: instant.optional(),
  to: instant.optional(),
});
export type HistoryFilter = z.infer<typeof historyFilter>;

export const historyRequest = z.object({
  /** Null: the newest jobs. Else the `next` of the page before. */
  cursor: z.string().max(10_000).nullable(),
  filter: historyFilter,
});

const priceParts = z.object({ priority: z.number(), kind: z.number(), hour: z.number() });
const payFormula = z.object({
  promptTokens: count,
  completionTokens: count.nullable(),
  promptMicro: micro,
  completionMicro: micro,
  percent: z.number(),
  parts: priceParts.optional(),
  version: name.optional(),
});
const check = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["held", "refused"]) }),
  z.object({ kind: z.literal("taken"), micro }),
]);
const payReason: z.ZodType<PayReason> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("paid"),
    formula: payFormula,
    limited: z.boolean(),
    bonus: z.object({ micro, percent: z.number() }).optional(),
    check: check.optional(),
  }),
  z.object({ kind: z.enum(["own-job", "unheard"]), check: check.optional() }),
  z.object({
    kind: z.literal("outrun"),
    slow: z.boolean(),
    part: z.object({ formula: payFormula.optional(), limit: z.enum(["half", "rest"]).optional() }).optional(),
  }),
  z.object({ kind: z.literal("released"), reason: name.optional() }),
  z.object({
    kind: z.literal("failed"),
    error: z.object({ code: name, message: z.string().max(10_000) }).optional(),
  }),
  z.object({ kind: z.enum(["stolen", "lost", "canceled", "expired"]) }),
]);

const row: z.ZodType<HistoryRow> = z.object({
  attemptId: z.string().min(1).max(200),
  kind: name,
  modelId: name,
  status: z.enum(attemptStatuses),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  promptTokens: count,
  completionTokens: count,
  earnedMicro: micro,
  /** An older backend does not say it. */
  energy: z
    .object({ microWh: z.number().min(0), source: z.enum(energySources) })
    .nullable()
    .exactOptional(),
  // A newer backend may have other reasons. The page then says the English explanation.
  pay: payReason.optional().catch(undefined),
  explanation: z.string().max(10_000),
});

/** A page of the device's own jobs, newest first. It may be short, or even empty, while there are older ones. */
export const historyPage = z.object({
  rows: z.array(row).max(1_100),
  /** The cursor of older jobs. Null: there are none. */
  next: z.string().max(10_000).nullable(),
});
export type HistoryPage = z.infer<typeof historyPage>;

/** One day (UTC) of the device's earnings. */
const earnedDay = z.object({
  /** The start of the day. */
  startAt: instant,
  /** Jobs that the device answered. */
  answered: count,
  promptTokens: count,
  completionTokens: count,
  micro,
  /** The time that it worked on answers; ms. */
  runMs: z.number().min(0),
  /** The energy that it used for them. An older backend does not say it. */
  energy: z
    .object({
      microWh: z.number().min(0),
      measuredMicroWh: z.number().min(0),
      runMs: z.number().min(0),
      byHour: z.record(z.string().max(2), z.number().min(0)).exactOptional(),
    })
    .optional(),
  /** Its tokens by model. Days before these were counted lack it, and so does an older backend. */
  models: z
    .array(z.object({ subject: name, promptTokens: count, completionTokens: count }))
    .max(100)
    .optional(),
});
export type EarnedDay = z.infer<typeof earnedDay>;

/** The figures that the organization compares its usage with, with the prices of the models that this device has answered with. */
const usageFacts = z.object({
  cloudPrices: z
    .array(z.object({ modelId: name, prompt: z.number().min(0), completion: z.number().min(0) }))
    .max(1_000)
    .readonly(),
  currency: name,
  watts: z.number().min(0).nullable(),
  gramsPerKwh: z.union([z.number().min(0), z.array(z.number().min(0)).length(24).readonly()]).nullable(),
});

/** How the device stands with a model. A newer backend may count other events, too. */
const ownStanding = z.object({
  modelId: name,
  rank: z.enum(standingRanks),
  passed: z.number().min(0),
  counts: z.record(name, count),
});
export type OwnStanding = z.infer<typeof ownStanding>;

/** The days on which the device earned something, oldest first. They are kept for 13 months. */
export const earnedDays = z.object({
  days: z.array(earnedDay).max(500),
  /** Jobs that ended earlier are not counted by day. Null: none is counted yet. */
  since: z.number().nullable(),
  /** An older backend does not say it. */
  facts: usageFacts.optional(),
  /** An older backend does not say it. */
  standings: z.array(ownStanding).max(100).optional().catch(undefined),
});
