import type { EnergySum } from "../energy/energy-sum.ts";
import { quantile, type Sketch } from "../statistics/sketch.ts";
import { endsOf, type Tally } from "../statistics/tally.ts";
import type { DaySum } from "./months.ts";

/** The usage of a day, a model, a key, a team, a member, a device or a group, in numbers. */
export type UsageFigures = {
  /** Jobs that ended. */
  jobs: number;
  succeeded: number;
  /** Answered jobs among those that were answered, failed or expired; null without any. */
  successRate: number | null;
  promptTokens: number;
  completionTokens: number;
  /** Credits in millionths: what keys spent, or what devices earned. */
  micro: bigint;
  /** The time that devices worked on answers; ms. */
  runMs: number;
  /** The energy that devices told. Null: none did. */
  energy: EnergySum | null;
  /** From submission to the first start; ms. Null without a start. */
  waitP50: number | null;
  waitP95: number | null;
};

export function figuresOf(tally: Tally): UsageFigures {
  const { succeeded, failed, expired, promptTokens, completionTokens, micro } = tally;
  const judged = succeeded + failed + expired;
  return {
    jobs: endsOf(tally),
    succeeded,
    successRate: judged === 0 ? null : succeeded / judged,
    promptTokens,
    completionTokens,
    micro,
    runMs: tally.run.sum,
    energy: tally.energy ?? null,
    waitP50: rounded(tally.wait, 0.5),
    waitP95: rounded(tally.wait, 0.95),
  };
}

/** The figures of a sum of days, which has no waits and no failures. */
export function figuresOfDays(sum: DaySum): UsageFigures {
  const { jobs, answered: succeeded, promptTokens, completionTokens, micro, runMs, energy = null } = sum;
  const unknown = { successRate: null, waitP50: null, waitP95: null };
  return { jobs, succeeded, promptTokens, completionTokens, micro, runMs, energy, ...unknown };
}

function rounded(sketch: Sketch, q: number): number | null {
  const value = quantile(sketch, q);
  return value === null ? null : Math.round(value);
}
