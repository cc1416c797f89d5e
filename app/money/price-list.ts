import type { JobPriority, PriorityPrices } from "../jobs/priority.ts";
import { priorityPricesMistake } from "../jobs/priority.ts";

/** Kinds of jobs that may have different prices. */
export type PriceKind = "text" | "embedding";

/** Hours of each day (UTC) with another price. `to` may be before `from`: then they go on after midnight. */
export type PriceHours = { readonly from: number; readonly to: number; readonly percent: number };

/** A data class with another price: few devices may get its jobs, or they are kept for long. */
export type ClassPrice = { readonly name: string; readonly percent: number };

/** Percents of the models' prices: by priority, by kind of job, by data class, and in some hours. A job costs their product. */
export type PriceFactors = PriorityPrices & {
  readonly text: number;
  readonly embedding: number;
  /** Absent: all classes cost the same, as jobs without a class do. */
  readonly classes?: readonly ClassPrice[];
  readonly hours: PriceHours | null;
};

/** Percent. Never 0, because a device earns by every job. */
export const factorLimits = { least: 10, most: 1_000 } as const;

/** Why factors are none; null if they are. */
export function factorsMistake(factors: PriceFactors): string | null {
  const { text, embedding, classes = [], hours } = factors;
  const { least, most } = factorLimits;
  const ofClasses = classes.map(({ percent }) => percent);
  const percents = [text, embedding, ...ofClasses, ...(hours === null ? [] : [hours.percent])];
  if (percents.some((percent) => !Number.isInteger(percent) || percent < least || percent > most))
    return `A price must be a whole number from ${String(least)} to ${String(most)} percent.`;
  if (new Set(classes.map(({ name }) => name)).size < classes.length)
    return "A data class can have one price only.";
  if (hours !== null) {
    const isHour = (hour: number): boolean => Number.isInteger(hour) && hour >= 0 && hour <= 23;
    if (!isHour(hours.from) || !isHour(hours.to)) return "An hour must be a whole number from 0 to 23.";
    if (hours.from === hours.to) return "The hours must begin and end at different times.";
  }
  return priorityPricesMistake(factors);
}

/** Whether a moment (ms epoch) is in the hours. */
export function isInHours(at: number, { from, to }: PriceHours): boolean {
  const hour = new Date(at).getUTCHours();
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}

/** The percent of a job depends on these. `at`: its submission (ms epoch). */
export type PricedJob = {
  readonly priority: JobPriority;
  readonly kind: PriceKind;
  readonly dataClass?: string | undefined;
  readonly at: number;
};

/** The percents that a job's price is multiplied with, for an explanation. `dataClass` is absent if it is 100. */
export type PriceParts = {
  readonly priority: number;
  readonly kind: number;
  readonly dataClass?: number;
  readonly hour: number;
};

/** The percents of a job. */
export function partsOf(factors: PriceFactors, { priority, kind, dataClass, at }: PricedJob): PriceParts {
  const { classes = [], hours } = factors;
  const ofClass = classes.find(({ name }) => name === dataClass)?.percent ?? 100;
  return {
    priority: factors[priority],
    kind: factors[kind],
    ...(ofClass === 100 ? {} : { dataClass: ofClass }),
    hour: hours !== null && isInHours(at, hours) ? hours.percent : 100,
  };
}

/** The percent of the model's price that a job costs: a whole number, at least 1. */
export function percentOf(factors: PriceFactors, job: PricedJob): number {
  const { priority, kind, dataClass = 100, hour } = partsOf(factors, job);
  return Math.max(1, Math.round((priority * kind * dataClass * hour) / 1_000_000));
}

/**
 * The same percents without the data class, which devices do not learn. Its percent is in that of the kind. Null if that is not a whole
 * number: shown rounded, the percents would not give the price.
 */
export function withoutClass({ dataClass = 100, ...parts }: PriceParts): PriceParts | null {
  const kind = (parts.kind * dataClass) / 100;
  return Number.isInteger(kind) ? { ...parts, kind } : null;
}

/** A price that is valid from a moment (ms epoch) until the next one of its list is. */
export type Versioned<Value> = { readonly version: number; readonly from: number; readonly value: Value };

/** The version that is valid at a moment. Null: the list begins later. */
export function validAt<Value>(schedule: readonly Versioned<Value>[], at: number): Versioned<Value> | null {
  return schedule.reduce<Versioned<Value> | null>(
    (found, each) => (each.from <= at && (found === null || each.from >= found.from) ? each : found),
    null,
  );
}

/** The versions that count from a moment on, in order of time: the valid one, and those that will be. */
export function fromNow<Value>(schedule: readonly Versioned<Value>[], at: number): Versioned<Value>[] {
  const valid = validAt(schedule, at);
  const coming = schedule.filter(({ from }) => from > at).sort((a, b) => a.from - b.from);
  return valid === null ? coming : [valid, ...coming];
}

/** The name of a job's price: the versions of its model's price and of the factors. 0: from before there were versions. */
export function priceVersionName(model: number, factors: number): string {
  return `${String(model)}.${String(factors)}`;
}

/** The name of the same price of a model with another version of the factors. */
export function withFactors(name: string, factors: number): string {
  const [model = "0"] = name.split(".");
  return priceVersionName(Number(model), factors);
}
