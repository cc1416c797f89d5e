const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The lengths of buckets; ms. Each divides the next one. `total`: the sums of all time. */
export const spans = { short: 5 * minuteMs, hour: 60 * minuteMs, day: dayMs, total: 0 } as const;

/** How long buckets are kept; ms. Longer buckets have what shorter ones had. */
export const keptMs = { short: 3 * dayMs, hour: 35 * dayMs, day: 400 * dayMs } as const;

/** The start of the bucket that a moment is in. */
export function bucketOf(at: number, spanMs: number): number {
  return Math.floor(at / spanMs) * spanMs;
}

/** The times that a person can look back on, and the buckets that their charts and their tables are made of. */
export const ranges = {
  hour: { ms: spans.hour, points: "short", table: "short" },
  day: { ms: spans.day, points: "hour", table: "hour" },
  week: { ms: 7 * spans.day, points: "hour", table: "day" },
  month: { ms: 30 * spans.day, points: "day", table: "day" },
} as const;
export type Range = keyof typeof ranges;
export const rangeNames = ["hour", "day", "week", "month"] as const satisfies readonly Range[];
