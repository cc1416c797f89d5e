import type { Bar } from "../support/bars.ts";
import { median, type Quartiles, quartiles } from "../support/statistics.ts";
import { noisePercent } from "./noise.ts";

/** The time of a task in three windows: without the donor, with it, and again without it. */
export type Trial = { readonly before: number; readonly beside: number; readonly after: number };

export const tasks = ["oneCore", "allCores", "input"] as const;
export type Task = (typeof tasks)[number];

/**
 * `oneCore`: a computation on one core. `allCores`: the same on all cores. `input`: a short task every 50 ms, as
 * input causes.
 */
export type Trials = Readonly<Record<Task, readonly Trial[]>>;

type Slowdown = Readonly<Record<Task, number | null>>;
type Spread = Readonly<Record<Task, Quartiles | null>>;

type InterferenceFigures = {
  /** The slowdown of the worst task while the donor works within its in-use limits. Null if too few pairs tell. */
  readonly inUsePercent: number | null;
  /** The slowdown of the worst task in the second after the donor stopped. Null if too few pairs tell. */
  readonly afterYieldPercent: number | null;
  /** What the worst task would show by chance, from the windows without a donor. Null if too few pairs tell. */
  readonly noisePercent: number | null;
  /** The fewest pairs behind a task's figure. */
  readonly pairs: number;
  readonly inUse: Slowdown;
  readonly afterYield: Slowdown;
  /** Quartiles of the pairs' slowdowns, in percent; `withoutDonor` of the pairs without a donor. */
  readonly quartiles: { readonly inUse: Spread; readonly afterYield: Spread; readonly withoutDonor: Spread };
};

/** With fewer pairs the median is no better than a single one. The noise comes from twice as many windows without a donor. */
export const leastPairs = 3;

/** A drift of the machine's speed cancels out, because the windows around are averaged. */
const ratioOf = ({ before, beside, after }: Trial): number => (2 * beside) / (before + after);
const noiseOf = ({ before, after }: Trial): number => after / before;
const percent = (ratio: number): number => (ratio - 1) * 100;

export function interferenceFigures(inUse: Trials, afterYield: Trials): InterferenceFigures {
  const pairs = Math.min(...tasks.flatMap((task) => [inUse[task].length, afterYield[task].length]));
  const without = perTask((task) => [...inUse[task], ...afterYield[task]].map(noiseOf));
  const [during, after] = [
    perTask((task) => inUse[task].map(ratioOf)),
    perTask((task) => afterYield[task].map(ratioOf)),
  ];
  const [slowerDuring, slowerAfter] = [
    perTask((task) => slowdown(during[task])),
    perTask((task) => slowdown(after[task])),
  ];
  return {
    inUsePercent: worst(slowerDuring),
    afterYieldPercent: worst(slowerAfter),
    noisePercent: pairs < leastPairs ? null : noisePercent(Object.values(without), pairs),
    pairs,
    inUse: slowerDuring,
    afterYield: slowerAfter,
    quartiles: {
      inUse: perTask((task) => spread(during[task])),
      afterYield: perTask((task) => spread(after[task])),
      withoutDonor: perTask((task) => spread(without[task])),
    },
  };
}

function perTask<T>(of: (task: Task) => T): Record<Task, T> {
  return { oneCore: of("oneCore"), allCores: of("allCores"), input: of("input") };
}

/** The median of the pairs, in percent. Other load on the machine affects all windows of most pairs. */
function slowdown(ratios: readonly number[]): number | null {
  return ratios.length < leastPairs ? null : percent(median(ratios));
}

function spread(ratios: readonly number[]): Quartiles | null {
  if (ratios.length === 0) return null;
  const [first, middle, third] = quartiles(ratios);
  return [percent(first), percent(middle), percent(third)];
}

function worst(slowdowns: Slowdown): number | null {
  const known = Object.values(slowdowns).filter((each) => each !== null);
  return known.length < tasks.length ? null : Math.max(...known);
}

const barPercent = 2;

/** The machine's own noise is added to the bars, because less than that can't be told apart from it. */
export function interferenceBars(
  figures: Pick<InterferenceFigures, "inUsePercent" | "afterYieldPercent" | "noisePercent" | "pairs">,
): readonly Bar[] {
  const noise = figures.noisePercent;
  const bar = (text: string, slower: number | null): Bar => ({
    text: `${text}: slower by at most ${barPercent} % + noise${noise === null ? "" : ` (${noise} %)`}`,
    value: slower === null || noise === null ? `cannot tell from ${figures.pairs} pairs` : `${slower} %`,
    met: slower !== null && noise !== null && slower <= barPercent + noise,
  });
  return [
    bar("with a donor within its in-use limits", figures.inUsePercent),
    bar("just after it yielded", figures.afterYieldPercent),
  ];
}
