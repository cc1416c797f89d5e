import { rounded } from "../../app/contract/speed.ts";

/** The nearest-rank quantile of the samples for `share` (0 to 1). Throws without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
  if (value === undefined) throw new Error("Nothing was measured.");
  return value;
}

export function median(samples: readonly number[]): number {
  return (quantile(samples, 0.5) + quantile(samples, 0.5 + Number.EPSILON)) / 2;
}

/** Rounds all numbers of a result. */
export function roundedNumbers<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === "number" ? rounded(each) : each)),
  ) as T;
}

export type Quartiles = readonly [first: number, median: number, third: number];

export function quartiles(samples: readonly number[]): Quartiles {
  return [quantile(samples, 0.25), median(samples), quantile(samples, 0.75)];
}
