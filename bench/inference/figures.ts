import type { Bar } from "../support/bars.ts";
import type { Quartiles } from "../support/statistics.ts";
import type { RoundSize } from "./round-size.ts";

/** Generated tokens per second with `n` sequences, through the whole farm and by the library. */
export type SequenceFigures = RoundSize & {
  readonly n: number;
  readonly farm: number;
  readonly direct: number;
  /** The median of the rounds' ratios. */
  readonly ratio: number;
  readonly ratioQuartiles: Quartiles;
  /** Rounds, which run on both sides. */
  readonly pairs: number;
};

type Speeds = Pick<SequenceFigures, "n" | "farm" | "direct" | "ratio">;

export type InferenceFigures = {
  readonly sequences: readonly SequenceFigures[];
  /** The share of prompt tokens that came from the cache, for prompts that share their first 80 %. */
  readonly prefixSaved: number;
};

const leastRatio = 0.95;
const leastSaved = 0.6;
/** A gain smaller than this is noise. */
const noise = 1.05;
/** The share of a gain that the farm may lose. */
const leastShareOfGain = 0.9;

export function inferenceBars({
  sequences,
  prefixSaved,
}: {
  readonly sequences: readonly Speeds[];
  readonly prefixSaved: number;
}): readonly Bar[] {
  const one = sequences.find(({ n }) => n === 1);
  return [
    ...sequences.map(({ n, ratio }) => ({
      text: `with ${n} ${n === 1 ? "sequence" : "sequences"}: at least ${leastRatio} of the library's speed`,
      value: ratio.toFixed(3),
      met: ratio >= leastRatio,
    })),
    ...sequences.flatMap(({ n, farm, direct }) => {
      if (one === undefined || n === 1) return [];
      const [farmGain, directGain] = [farm / one.farm, direct / one.direct];
      return {
        text: `the gain of ${n} sequences over one, if the library gains, too (${directGain.toFixed(2)} ×)`,
        value: `${farmGain.toFixed(2)} ×`,
        met: directGain < noise || farmGain - 1 >= (directGain - 1) * leastShareOfGain,
      };
    }),
    {
      text: `tokens not read again of prompts that share 80 %: at least ${leastSaved}`,
      value: prefixSaved.toFixed(2),
      met: prefixSaved >= leastSaved,
    },
  ];
}
