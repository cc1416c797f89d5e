import { type PromiseFigures, type PromiseMoment, promiseMoments, replayPromises } from "./replay.ts";

/** Recorded weeks before the promises. */
const recordedWeeks = [1, 2, 4, 6] as const;
const promises = 200;
/** Requests of a batch are up to half as long or twice as long as earlier ones, in 19 of 20 batches. */
const lengthSpread = 0.4;

type Case = PromiseFigures & { readonly weeks: number; readonly moment: PromiseMoment };

/** Replays promises after different numbers of recorded weeks. */
export function promiseCases(options: { readonly laptops: number; readonly seed: number }): readonly Case[] {
  return recordedWeeks.flatMap((weeks) =>
    promiseMoments.map((moment) => ({
      weeks,
      moment,
      ...replayPromises(moment, { ...options, weeks, promises, lengthSpread }),
    })),
  );
}

export function promiseTable(cases: readonly Case[]): string {
  const head = ["recorded weeks", "made", "kept", "by the expected end", "promised / real"];
  const rows = cases.map(({ weeks, moment, kept, byExpected, slack, ...made }) => [
    String(weeks),
    moment,
    percent(kept / made.promises),
    percent(byExpected / made.promises),
    slack.toFixed(2),
  ]);
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell) => cell.padEnd(21))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
