import type { Bar } from "../support/bars.ts";
import { median } from "../support/statistics.ts";

/** The time of a task with and without the donor's work, in adjacent windows. */
export type Pair = { readonly alone: number; readonly beside: number };

export type Tasks = {
  /** A computation on one core. */
  readonly oneCore: readonly Pair[];
  /** The same on all cores. */
  readonly allCores: readonly Pair[];
  /** A short task every 50 ms, as input causes. */
  readonly input: readonly Pair[];
};

type Slowdown = { readonly [Task in keyof Tasks]: number };

type InterferenceFigures = {
  /** The slowdown of the worst task while the donor works within its in-use limits. */
  readonly inUsePercent: number;
  /** The slowdown of the worst task in the second after the donor stopped. */
  readonly afterYieldPercent: number;
  readonly inUse: Slowdown;
  readonly afterYield: Slowdown;
};

/** The median of the pairs. Other load on the machine affects both halves of most pairs. */
export function slowdownPercent(pairs: readonly Pair[]): number {
  return (median(pairs.map(({ alone, beside }) => beside / alone)) - 1) * 100;
}

export function interferenceFigures(inUse: Tasks, afterYield: Tasks): InterferenceFigures {
  const of = (tasks: Tasks): Slowdown => ({
    oneCore: slowdownPercent(tasks.oneCore),
    allCores: slowdownPercent(tasks.allCores),
    input: slowdownPercent(tasks.input),
  });
  const [during, after] = [of(inUse), of(afterYield)];
  return {
    inUsePercent: Math.max(...Object.values(during)),
    afterYieldPercent: Math.max(...Object.values(after)),
    inUse: during,
    afterYield: after,
  };
}

const barPercent = 2;

export function interferenceBars(figures: InterferenceFigures): readonly Bar[] {
  const bar = (text: string, percent: number): Bar => ({
    text: `${text}: slower by at most ${barPercent} %`,
    value: `${percent} %`,
    met: percent <= barPercent,
  });
  return [
    bar("with a donor within its in-use limits", figures.inUsePercent),
    bar("just after it yielded", figures.afterYieldPercent),
  ];
}
