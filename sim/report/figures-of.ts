import type { Outcome } from "../engine/measures.ts";
import { jobMeanMs, prefixMs } from "../figures.ts";
import type { ScenarioName } from "../scenarios/trace.ts";

/** One policy's figures over all scenarios that were run. */
export type PolicyFigures = {
  /** The time from submission to start, in ms. A lower bound if jobs still waited at the end of the run. */
  readonly p50: number;
  readonly p95: number;
  readonly conflictsPerJob: number;
  readonly stealsPerJob: number;
  /** The idle device time while a job was ready, per unit of work. */
  readonly idleWhileWaiting: number;
  /** The share of starts on a device with the prefix. */
  readonly cacheHits: number;
};

export type ScenarioOutcome = { readonly scenario: ScenarioName; readonly outcome: Outcome };

/**
 * In `batch` every job waits for a free device, which no policy can change. So its waits count only if no other
 * scenario ran. All other figures are sums over the scenarios.
 */
export function figuresOf(outcomes: readonly ScenarioOutcome[]): PolicyFigures {
  const unsaturated = outcomes.filter(({ scenario }) => scenario !== "batch");
  const waits = joined(
    (unsaturated.length === 0 ? outcomes : unsaturated).map(({ outcome }) => outcome.waits),
  );
  const sum = (pick: (outcome: Outcome) => number) =>
    outcomes.reduce((total, { outcome }) => total + pick(outcome), 0);
  const jobs = Math.max(
    1,
    sum((outcome) => outcome.jobs),
  );
  const starts = Math.max(
    1,
    sum((outcome) => outcome.starts),
  );
  return {
    p50: rounded(quantile(waits, 0.5)),
    p95: rounded(quantile(waits, 0.95)),
    conflictsPerJob: rounded(sum((outcome) => outcome.conflicts) / jobs),
    stealsPerJob: rounded(sum((outcome) => outcome.steals) / jobs),
    idleWhileWaiting: rounded(sum((outcome) => outcome.idleMs) / (jobs * (jobMeanMs + prefixMs))),
    cacheHits: rounded(sum((outcome) => outcome.hits) / starts),
  };
}

/** Three significant digits. A simulation is not more precise. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/** Nearest-rank percentile. 0 without values. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
