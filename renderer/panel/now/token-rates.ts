import type { WorkView } from "../../../app/contract/snapshot.ts";

/** The tokens that a job had written at a moment. */
export type Sample = {
  /** ms epoch. */
  readonly at: number;
  /** Null without a job. */
  readonly attemptId: string | null;
  readonly tokens: number;
};

/** The time that the line shows; ms. */
const shownMs = 60_000;

export function sampleOf(work: WorkView | null, at: number): Sample {
  return { at, attemptId: work?.attemptId ?? null, tokens: work?.writtenTokens ?? 0 };
}

/** Adds a sample, and drops those that are too old. A moment has one sample. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.at <= last.at) return samples;
  return [...samples.filter(({ at }) => sample.at - at <= shownMs), sample];
}

/** Tokens per second between each two samples, oldest first. A new job begins at none. */
export function ratesOf(samples: readonly Sample[]): number[] {
  return samples.slice(1).map((sample, place) => {
    const before = samples[place] ?? sample;
    const from = before.attemptId === sample.attemptId ? before.tokens : 0;
    const seconds = (sample.at - before.at) / 1_000;
    return seconds > 0 ? Math.max(0, sample.tokens - from) / seconds : 0;
  });
}

/** The points of a line in a box of this size, as SVG has them. The newest is at the right. @param most rates in the box. */
export function linePoints(rates: readonly number[], width: number, height: number, most = 60): string {
  const highest = Math.max(1, ...rates);
  const shown = rates.slice(-most);
  return shown
    .map((rate, place) => {
      const x = width - ((shown.length - 1 - place) * width) / (most - 1);
      const y = height - (rate / highest) * height;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}
