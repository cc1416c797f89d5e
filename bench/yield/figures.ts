import type { Bar } from "../support/bars.ts";
import { quantile } from "../support/statistics.ts";

export const yieldPhases = ["loading", "prefill", "generating", "batched", "busy"] as const;
export type Phase = (typeof yieldPhases)[number];

/** One return of the person. Times are in ms from the input. */
export type Return = {
  readonly phase: Phase;
  /** Until the runner uses no more processor time. */
  readonly stillMs: number;
  /** Until its memory is free. Null if the rules keep the model in memory. */
  readonly memoryMs: number | null;
  /** Whether it still worked, or held memory that it has to free, when the watch ended. */
  readonly neverIdle: boolean;
};

type Quantiles = {
  readonly returns: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  readonly max: number;
};

type YieldFigures = Quantiles & {
  readonly memoryBackP95: number | null;
  /** Returns after which the runner never became idle within the time of the watch. */
  readonly neverIdle: number;
  readonly phases: Readonly<Partial<Record<Phase, Quantiles>>>;
};

const barMs = 250;
const memoryBarMs = 1_000;

export function yieldFigures(returns: readonly Return[]): YieldFigures {
  const memory = returns.flatMap(({ memoryMs }) => memoryMs ?? []);
  const phases: Partial<Record<Phase, Quantiles>> = {};
  for (const phase of yieldPhases) {
    const of = returns.filter((each) => each.phase === phase);
    if (of.length > 0) phases[phase] = quantiles(of);
  }
  const memoryBackP95 = memory.length > 0 ? quantile(memory, 0.95) : null;
  const neverIdle = returns.filter((each) => each.neverIdle).length;
  return { ...quantiles(returns), memoryBackP95, neverIdle, phases };
}

function quantiles(returns: readonly Return[]): Quantiles {
  const times = returns.map(({ stillMs }) => stillMs);
  return {
    returns: times.length,
    p25: quantile(times, 0.25),
    p50: quantile(times, 0.5),
    p75: quantile(times, 0.75),
    p95: quantile(times, 0.95),
    max: quantile(times, 1),
  };
}

export function yieldBars(figures: YieldFigures): readonly Bar[] {
  const worst = yieldPhases.map((phase) => {
    const of = figures.phases[phase];
    return {
      text: `input to no work, ${phase}: p95 at most ${barMs} ms`,
      value: of === undefined ? "not measured" : `${of.p95} ms`,
      met: of !== undefined && of.p95 <= barMs,
    };
  });
  return [
    ...worst,
    {
      text: `input to memory free: p95 at most ${memoryBarMs} ms`,
      value: figures.memoryBackP95 === null ? "not measured" : `${figures.memoryBackP95} ms`,
      met: figures.memoryBackP95 !== null && figures.memoryBackP95 <= memoryBarMs,
    },
    {
      text: "returns after which the runner never became idle: none",
      value: String(figures.neverIdle),
      met: figures.neverIdle === 0,
    },
  ];
}
