/** The value below which `share` (0 to 1) of the samples lie, by the nearest rank. Throws without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
  if (value === undefined) throw new Error("Nothing was measured.");
  return value;
}

export function median(samples: readonly number[]): number {
  return (quantile(samples, 0.5) + quantile(samples, 0.5 + Number.EPSILON)) / 2;
}

/** Three significant digits: more would claim what a benchmark does not know. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** All numbers of a result, rounded. */
export function roundedNumbers<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === "number" ? rounded(each) : each)),
  ) as T;
}
