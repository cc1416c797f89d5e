import { type PromiseFigures, type PromiseMoment, promiseMoments, replayPromises } from "./replay.ts";

/** Recorded weeks before the promises. */
const recordedWeeks = [1, 2, 4, 6] as const;
export const promises = 200;
/** Requests of a batch are up to half as long or twice as long as earlier ones, in 19 of 20 batches. */
export const lengthSpread = 0.4;

/** Each seed draws other laptops, days and batches. */
export type Case = PromiseFigures & {
  readonly weeks: number;
  readonly moment: PromiseMoment;
  readonly seed: number;
};

type CaseOptions = {
  readonly laptops: number;
  /** The first seed. */
  readonly seed: number;
  readonly seeds: number;
  /** Promises of each seed, after each number of weeks and at each moment. */
  readonly each?: number;
};

/** Replays promises after different numbers of recorded weeks, with so many seeds from the first one on. */
export function promiseCases({ laptops, seed: first, seeds, each = promises }: CaseOptions): readonly Case[] {
  return Array.from({ length: seeds }, (_, n) => first + n).flatMap((seed) =>
    recordedWeeks.flatMap((weeks) =>
      promiseMoments.map((moment) => ({
        weeks,
        moment,
        seed,
        ...replayPromises(moment, { laptops, seed, weeks, promises: each, lengthSpread }),
      })),
    ),
  );
}

/** A promise is one at 95 %. Of 200 that are, so many are kept in 19 of 20 cases. */
export const keptRange = { least: 0.92, most: 0.98 };

/** The cases of all seeds after the same recorded weeks, made at the same moment. */
type Row = {
  readonly weeks: number;
  readonly moment: PromiseMoment;
  /** Shares of the promises of all seeds. */
  readonly kept: number;
  readonly byExpected: number;
  /** Of the seeds with the fewest and the most. */
  readonly leastKept: number;
  readonly mostKept: number;
  /** Seeds whose promises were kept as often as they should be. */
  readonly within: number;
  readonly seeds: number;
  readonly slack: number;
};

export function promiseRows(cases: readonly Case[]): readonly Row[] {
  const weeksOfCases = [...new Set(cases.map(({ weeks }) => weeks))];
  return weeksOfCases.flatMap((weeks) =>
    promiseMoments.flatMap((moment): readonly Row[] => {
      const own = cases.filter((each) => each.weeks === weeks && each.moment === moment);
      const mean = (of: (each: Case) => number): number =>
        own.reduce((sum, each) => sum + of(each), 0) / own.length;
      const shares = own.map(({ kept, promises: made }) => kept / made);
      if (own.length === 0) return [];
      return [
        {
          weeks,
          moment,
          kept: mean((each) => each.kept / each.promises),
          byExpected: mean((each) => each.byExpected / each.promises),
          leastKept: Math.min(...shares),
          mostKept: Math.max(...shares),
          within: shares.filter((share) => share >= keptRange.least && share <= keptRange.most).length,
          seeds: own.length,
          slack: mean((each) => each.slack),
        },
      ];
    }),
  );
}

export function promiseTable(rows: readonly Row[]): string {
  const { least, most } = keptRange;
  const head = [
    "recorded weeks",
    "made",
    "kept",
    "by seed",
    `${String(100 * least)} to ${String(100 * most)} %`,
    "by the expected end",
    "promised / real",
  ];
  const lines = rows.map((row) => [
    String(row.weeks),
    row.moment,
    percent(row.kept),
    `${percent(row.leastKept)} to ${percent(row.mostKept)}`,
    `${String(row.within)} of ${String(row.seeds)} seeds`,
    percent(row.byExpected),
    row.slack.toFixed(2),
  ]);
  const widths = head.map((cell, at) =>
    Math.max(...[head, ...lines].map((line) => line[at]?.length ?? 0), cell.length),
  );
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
