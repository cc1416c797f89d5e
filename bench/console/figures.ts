import type { Bar } from "../support/bars.ts";

/** One page of the console, opened anew by an owner of a large organization. */
export type PageFigures = {
  /** From the navigation until the page shows its content, ms. */
  readonly contentMs: number;
  /** The most documents that one of its queries read. */
  readonly documentsReadMax: number;
  /** That query. */
  readonly mostBy: string | null;
  /** Runs of its queries after a change of a device that it does not show. */
  readonly rerunsPerDeviceChange: number;
  /** Runs of its queries after a payout that it does not show. */
  readonly rerunsPerPayout: number;
  /** The queries that ran again. */
  readonly rerun: readonly string[];
};

export type ConsoleFigures = {
  readonly pages: Readonly<Record<string, PageFigures>>;
  /** Functions × roles × own and other organization, and places of ids × roles, as the tests of rights go through them. */
  readonly matrixCells: number;
};

export function consoleBars({ pages }: ConsoleFigures): readonly Bar[] {
  const worst = (of: (figures: PageFigures) => number): readonly [string, number] =>
    Object.entries(pages).reduce<readonly [string, number]>(
      (most, [name, figures]) => (of(figures) > most[1] ? [name, of(figures)] : most),
      ["every page", 0],
    );
  const bar = (text: string, [name, value]: readonly [string, number], most: number): Bar => ({
    text,
    value: `${value} (${name})`,
    met: value <= most,
  });
  return [
    bar(
      "content within 1,000 ms",
      worst(({ contentMs }) => contentMs),
      1_000,
    ),
    bar(
      "at most 300 documents a query",
      worst(({ documentsReadMax }) => documentsReadMax),
      300,
    ),
    bar(
      "a device's change reruns no query that does not show it",
      worst((figures) => figures.rerunsPerDeviceChange),
      0,
    ),
    bar(
      "a payout reruns no query that does not show it",
      worst((figures) => figures.rerunsPerPayout),
      0,
    ),
  ];
}
