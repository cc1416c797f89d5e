import { ringPositionAt, ringSize } from "../placement.ts";

/** Ring positions from `from` up to, but not including, `to`. */
export type Range = { readonly from: number; readonly to: number };

/**
 * The arc from a position up to the next one, around the ring. Each point belongs to the last position at or before it,
 * so the arcs always tile the ring. If two positions are between the same two points, one owns no point.
 * @param next the next occupied position. If it is the same one, the arc is the whole ring.
 */
export function arcOf(position: number, next: number): readonly Range[] {
  const from = Math.ceil(position);
  const to = Math.ceil(next);
  if (next > position) return ranges([from, to]);
  return next === position ? ranges([0, ringSize]) : ranges([from, ringSize], [0, to]);
}

/**
 * The arcs that wake a waiting worker: its own, and as a backup the arc of the next waiting worker of the same ring.
 * @param at the worker's position. @param others the next two positions of that ring; fewer if there are fewer.
 */
export function wakingArcs(
  at: number,
  others: readonly number[],
): { readonly own: readonly Range[]; readonly late: readonly Range[] } {
  // The ring of slow workers is beyond that of fast ones. Both wake at the same points.
  const position = at % ringSize;
  const [next = position, second = position] = others.map((other) => other % ringSize);
  const own = arcOf(position, next);
  // Two workers at one position share its arc. Two workers in a ring back each other up.
  return { own, late: next === position || second === next ? [] : arcOf(next, second) };
}

function ranges(...points: readonly (readonly [number, number])[]): readonly Range[] {
  return points
    .filter(([from, to]) => from < to)
    .map(([from, to]) => ({ from: ringPositionAt(from), to: ringPositionAt(to) }));
}
