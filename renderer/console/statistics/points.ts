import type { StatisticsReport } from "../data/rows.ts";

export type Series = {
  /** ms since the epoch. */
  readonly times: readonly number[];
  readonly answered: readonly number[];
  readonly failed: readonly number[];
  /** Null at times without a job. */
  readonly wait: readonly (number | null)[];
  /** The median. The others are 95th percentiles. */
  readonly waitHalf: readonly (number | null)[];
  readonly run: readonly (number | null)[];
};

/** A report's points, with those that it leaves out because nothing happened then. */
export function seriesOf(
  { points, pointMs }: Pick<StatisticsReport, "points" | "pointMs">,
  from: number,
  until: number,
): Series {
  const byTime = new Map(points.map(({ startAt, summary }) => [startAt, summary] as const));
  const first = Math.floor(from / pointMs) * pointMs;
  const count = Math.max(0, Math.ceil((until - first) / pointMs));
  const times = Array.from({ length: count }, (_, at) => first + at * pointMs);
  const summaries = times.map((at) => byTime.get(at));
  return {
    times,
    answered: summaries.map((each) => each?.succeeded ?? 0),
    failed: summaries.map((each) => (each?.failed ?? 0) + (each?.expired ?? 0)),
    waitHalf: summaries.map((each) => each?.wait?.p50 ?? null),
    wait: summaries.map((each) => each?.wait?.p95 ?? null),
    run: summaries.map((each) => each?.run?.p95 ?? null),
  };
}
