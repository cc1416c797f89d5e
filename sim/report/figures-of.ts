import type { Outcome } from "../engine/measures.ts";
import { jobMeanMs, prefixMs } from "../figures.ts";
import type { ScenarioName } from "../scenarios/trace.ts";

/** One policy's figures over all scenarios that were run. */
export type PolicyFigures = {
  /** From submission to start, in ms. Lower bounds where jobs were still waiting when the run was cut off. */
  readonly p50: number;
  readonly p95: number;
  readonly conflictsPerJob: number;
  readonly stealsPerJob: number;
  /** Device time that was idle while a job was ready, for each unit of work that the jobs needed. */
  readonly idleWhileWaiting: number;
  /** The share of starts by a device that held the prefix. */
  readonly cacheHits: number;
};

export type ScenarioOutcome = { readonly scenario: ScenarioName; readonly outcome: Outcome };

/**
 * In `batch` every job waits for a device to be free, which no policy can change: its waits count only where nothing
 * else was run. Everything else is the sum over the scenarios.
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

/** Three significant digits: more would claim what a simulation does not know. */
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

/** By the nearest rank; 0 of nothing. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
