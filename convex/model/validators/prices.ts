import { priority } from "@gleaner/queue/validators";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { usage } from "./answers.ts";

/** Percent of the models' prices, by a job's priority. */
export const priorityPrices = v.object({ low: v.number(), normal: v.number(), high: v.number() });

/** Micro-credits per token. */
export const price = v.object({ promptMicro: v.int64(), completionMicro: v.int64() });

/** Percents of the models' prices, which are multiplied: app/money/price-list.ts. */
export const priceFactors = v.object({
  ...priorityPrices.fields,
  text: v.number(),
  embedding: v.number(),
  classes: v.optional(v.array(v.object({ name: v.string(), percent: v.number() }))),
  hours: v.union(v.object({ from: v.number(), to: v.number(), percent: v.number() }), v.null()),
});

/** A price from a moment on (ms epoch). */
export const pricedFrom = v.object({ version: v.number(), from: v.number(), value: price });

export const factorsFrom = v.object({ version: v.number(), from: v.number(), value: priceFactors });

/** The percents that a job's price is multiplied with. */
export const priceParts = v.object({
  priority: v.number(),
  kind: v.number(),
  dataClass: v.optional(v.number()),
  hour: v.number(),
});

/** The pay for a job, which the queue passes on to the device. */
export const reply = v.object({
  earnedMicro: v.int64(),
  /** Per token. */
  price,
  /** The percent of it that the job costs, if that is not 100, and the percents that make it. */
  pricePercent: v.optional(v.number()),
  priceParts: v.optional(priceParts),
  priceVersion: v.optional(v.string()),
  /** The pay of a device that had written a part of the answer when this one finished it, and the tokens for which it is paid. */
  outrunMicro: v.optional(v.int64()),
  outrunUsage: v.optional(usage),
  /** Its limit, if the tokens are worth more: half of the answer's price, or the rest of the highest price. */
  outrunLimit: v.optional(literals("half", "rest")),
  /** The part of `earnedMicro` that bonus hours added, and their percent of the pay. */
  bonusMicro: v.optional(v.int64()),
  bonusPercent: v.optional(v.number()),
  /** Whether the device belongs to the owner of the job's key, and is not paid. */
  ownJob: v.optional(v.boolean()),
  /** Whether `earnedMicro` is held until a check of the device's answers. */
  held: v.optional(v.boolean()),
  /** Whether a report of a replay was not heard, and is not paid, as somebody behind the device has a voice already. */
  unheard: v.optional(v.boolean()),
});

/** A job's priority and its price before a change of its priority. `at`: when it changed (ms epoch). */
export const beforePriority = v.object({
  at: v.number(),
  round: v.number(),
  /** How often a device had taken the job. */
  attempts: v.number(),
  /** The priority of the job, and the highest that it had had. */
  priority,
  highest: v.optional(priority),
  pricePercent: v.optional(v.number()),
  priceVersion: v.optional(v.string()),
  reservedMicro: v.int64(),
});
