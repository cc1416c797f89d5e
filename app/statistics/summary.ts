import { countOf, quantile, type Sketch } from "./sketch.ts";
import { type Counter, counters, type Tally } from "./tally.ts";

/** A distribution in a few numbers; ms. Null without values. */
export type Spread = { p50: number; p95: number; p99: number };

/** A tally as people read it. */
export type TallySummary = Record<Counter, number> & {
  micro: bigint;
  wait: Spread | null;
  run: Spread | null;
  /** The share of jobs that were answered; null if none was answered or failed. Canceled jobs do not count. */
  successRate: number | null;
};

export function summaryOfTally(tally: Tally): TallySummary {
  const { succeeded, failed, expired } = tally;
  const counts = Object.fromEntries(counters.map((counter) => [counter, tally[counter]])) as Record<
    Counter,
    number
  >;
  return {
    ...counts,
    micro: tally.micro,
    wait: spreadOf(tally.wait),
    run: spreadOf(tally.run),
    successRate: shareOf(succeeded, failed + expired),
  };
}

function spreadOf(sketch: Sketch): Spread | null {
  if (countOf(sketch) === 0) return null;
  const at = (q: number): number => Math.round(quantile(sketch, q) ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function shareOf(good: number, bad: number): number | null {
  return good + bad === 0 ? null : good / (good + bad);
}
