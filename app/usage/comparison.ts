import type { UsageFigures } from "./figures.ts";

/** The price of a cloud for work like a model's, per million tokens, in the currency of the organization. */
export type CloudPrice = { readonly modelId: string; readonly prompt: number; readonly completion: number };

type Tokens = Pick<UsageFigures, "promptTokens" | "completionTokens">;

/** The cost of these tokens at a price. */
export function cloudCost({ promptTokens, completionTokens }: Tokens, price: CloudPrice): number {
  return (promptTokens * price.prompt + completionTokens * price.completion) / 1e6;
}

export type CloudTotal = {
  /** Null if no model has a price. */
  readonly cost: number | null;
  /** Tokens of models without a price, which are not in the cost. */
  readonly unpricedTokens: number;
};

/** The cost of the work of all models at these prices. */
export function cloudTotal(
  models: readonly (Tokens & { readonly subject: string })[],
  prices: readonly CloudPrice[],
): CloudTotal {
  const byModel = new Map(prices.map((price) => [price.modelId, price]));
  const costs = models.flatMap((model) => {
    const price = byModel.get(model.subject);
    return price === undefined ? [] : [cloudCost(model, price)];
  });
  const unpriced = models.filter(({ subject }) => !byModel.has(subject));
  return {
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    unpricedTokens: unpriced.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0),
  };
}

/** An organization's own figures of its devices and its grid. Null: it entered none, and nothing is guessed. */
export type PowerFacts = {
  readonly watts: number | null;
  /** Of every hour, or of each of the 24 hours of the day (UTC). */
  readonly gramsPerKwh: number | readonly number[] | null;
};

/** The figures that an organization compares its usage with. */
export type UsageFacts = PowerFacts & {
  readonly cloudPrices: readonly CloudPrice[];
  /** Such as "EUR". */
  readonly currency: string;
};

/** The figures of an organization that entered none. */
export const noFacts = {
  cloudPrices: [] as CloudPrice[],
  currency: "",
  watts: null,
  gramsPerKwh: null,
} satisfies UsageFacts;

/** Answered work: how long devices worked on it, and the energy that they told. */
export type Work = Pick<UsageFigures, "runMs" | "energy">;

/**
 * The energy that devices told, and for jobs of which none did: the power that a working device draws × the time that devices worked
 * on them. Null if nothing is known.
 */
export function kilowattHours({ runMs, energy }: Work, { watts }: PowerFacts): number | null {
  if (watts === null) return energy === null ? null : energy.microWh / 1e9;
  const { microWh, runMs: toldMs } = energy ?? { microWh: 0, runMs: 0 };
  return microWh / 1e9 + (watts * Math.max(0, runMs - toldMs)) / 3.6e9;
}

/** The share of the energy that meters counted, 0 to 1. Null without energy. */
export function measuredShare(work: Work, facts: PowerFacts): number | null {
  const all = kilowattHours(work, facts);
  return all === null || all === 0 ? null : (work.energy?.measuredMicroWh ?? 0) / 1e9 / all;
}

/**
 * Carbon = energy × the grid's intensity; grams of CO2. Null if one of them is unknown. Energy whose hour is unknown has the mean
 * of the hours' intensities.
 */
export function carbonGrams(work: Work, facts: PowerFacts): number | null {
  const energy = kilowattHours(work, facts);
  const { gramsPerKwh } = facts;
  if (energy === null || gramsPerKwh === null) return null;
  if (typeof gramsPerKwh === "number") return energy * gramsPerKwh;
  const hours = Object.entries(work.energy?.byHour ?? {}).map(([hour, microWh]) => ({
    kwh: microWh / 1e9,
    grams: gramsPerKwh[Number(hour)] ?? 0,
  }));
  const known = sumOf(hours.map(({ kwh }) => kwh));
  const mean = sumOf(gramsPerKwh) / gramsPerKwh.length;
  return sumOf(hours.map(({ kwh, grams }) => kwh * grams)) + Math.max(0, energy - known) * mean;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
