import type { Bar } from "../support/bars.ts";
import { quantile } from "../support/statistics.ts";

export type Turnaround = { readonly meanMs: number; readonly p95Ms: number };

export type PlacementFigures = {
  readonly turnaround: { readonly ours: Turnaround; readonly before: Turnaround };
  /** `expectedMs`: the turnaround of such a job on the idle fleet. `addedMs`: what a frozen worker adds to it. */
  readonly straggler: { readonly expectedMs: number; readonly addedMs: number };
};

export function turnaroundOf(times: readonly number[]): Turnaround {
  const meanMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  return { meanMs, p95Ms: quantile(times, 0.95) };
}

export function placementBars({ turnaround, straggler }: PlacementFigures): readonly Bar[] {
  const { ours, before } = turnaround;
  return [
    {
      text: "95th percentile of the turnaround: at most 0.7 of the one before",
      value: (ours.p95Ms / before.p95Ms).toFixed(2),
      met: ours.p95Ms <= 0.7 * before.p95Ms,
    },
    {
      text: "a straggler adds at most twice the job's expected time",
      value: `${(straggler.addedMs / straggler.expectedMs).toFixed(2)} ×`,
      met: straggler.addedMs <= 2 * straggler.expectedMs,
    },
  ];
}
