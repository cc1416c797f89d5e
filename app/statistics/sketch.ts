/**
 * A sketch of durations: counts by logarithmic bins, as in DDSketch. Any quantile is known with a small relative error, two
 * sketches merge by addition, and the size is bounded. All fields are plain values, so documents and JSON can hold it.
 */
export type Sketch = {
  /** Numbers of the bins that have counts, ascending. */
  bins: number[];
  /** How many values each of these bins has. */
  counts: number[];
  /** The sum of all values; ms. */
  sum: number;
};

/** Bins that double a duration, so that powers of two milliseconds are exact borders of bins. */
export const binsPerDoubling = 7;
const growth = 2 ** (1 / binsPerDoubling);

/** The largest relative error of a quantile above 1 ms: 5 %. */
export const relativeError = (growth - 1) / (growth + 1);

/** Longer values count as this one: 2^28 ms are three days. */
const doublings = 28;
export const longestMs = 2 ** doublings;
/** Bin 0 has the values up to 1 ms, and bin n those up to growth^n. */
export const mostBins = doublings * binsPerDoubling + 1;

export const emptySketch = (): Sketch => ({ bins: [], counts: [], sum: 0 });

/** @param values durations in ms, which are rounded. Negative ones count as 0: two clocks may differ. */
export function sketchOf(values: readonly number[]): Sketch {
  const counts = new Map<number, number>();
  let sum = 0;
  for (const value of values) {
    const ms = Math.round(Math.min(longestMs, Math.max(0, value)));
    const bin = binOf(ms);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
    sum += ms;
  }
  return sketchFrom(counts, sum);
}

/** The sketch of the values of all of them. */
export function mergeSketches(sketches: readonly Sketch[]): Sketch {
  const merged = new Map<number, number>();
  let total = 0;
  for (const { bins, counts, sum } of sketches) {
    bins.forEach((bin, at) => merged.set(bin, (merged.get(bin) ?? 0) + (counts[at] ?? 0)));
    total += sum;
  }
  return sketchFrom(merged, total);
}

/** The number of values. */
export function countOf({ counts }: Sketch): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** How many values are at most 2^`doublings` ms. Exact, because no bin lies across such a border. */
export function countUpTo({ bins, counts }: Sketch, upTo: number): number {
  return counts.reduce(
    (total, count, at) => ((bins[at] ?? 0) <= upTo * binsPerDoubling ? total + count : total),
    0,
  );
}

/** The value that a share `q` of all values is below; ms. Null without values. */
export function quantile(sketch: Sketch, q: number): number | null {
  const total = countOf(sketch);
  if (total === 0) return null;
  const rank = Math.floor(Math.min(1, Math.max(0, q)) * (total - 1));
  let seen = 0;
  const at = sketch.counts.findIndex((count) => (seen += count) > rank);
  return middleOf(sketch.bins[at] ?? 0);
}

function binOf(ms: number): number {
  // A border may come out a little too large because of rounding.
  return ms <= 1 ? 0 : Math.ceil(Math.log2(ms) * binsPerDoubling - 1e-9);
}

/** The value whose relative distance to both borders of a bin is the same. */
function middleOf(bin: number): number {
  return bin === 0 ? 1 : (2 * growth ** bin) / (growth + 1);
}

function sketchFrom(counts: ReadonlyMap<number, number>, sum: number): Sketch {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  return { bins: sorted.map(([bin]) => bin), counts: sorted.map(([, count]) => count), sum };
}
