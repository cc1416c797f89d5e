import type { Bar } from "../support/bars.ts";

type Quantiles = { readonly p50: number; readonly p95: number };
/** Milliseconds, with `n` idle workers connected. */
export type DispatchTimes = { readonly n: number; readonly ours: Quantiles; readonly baseline: Quantiles };

/** The allowed share of the baseline's 95th percentile. */
const shares: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [50, 1 / 2],
  [500, 1 / 5],
]);

export function dispatchBars(workers: readonly DispatchTimes[]): readonly Bar[] {
  return workers.flatMap(({ n, ours, baseline }) => {
    const share = shares.get(n);
    if (share === undefined) return [];
    return {
      text: `p95 with ${n} workers: at most ${share === 1 ? "the baseline's" : `1/${Math.round(1 / share)} of the baseline's`}`,
      value: `${(ours.p95 / baseline.p95).toFixed(2)} ×`,
      met: ours.p95 <= baseline.p95 * share,
    };
  });
}
