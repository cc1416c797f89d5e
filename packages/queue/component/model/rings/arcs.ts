import { ringPositionAt, ringSize } from "../placement.ts";

/** Places from `from` up to, and not including, `to`. */
export type Range = { readonly from: number; readonly to: number };

/**
 * The points from a position up to the next one's, around the ring, as places. Each point belongs to the last position
 * at or before it, so that whatever positions there are, their arcs tile the ring. Positions between two points may
 * have none.
 * @param next the next position that is taken; the same one where it is the only one: the whole ring.
 */
export function arcOf(position: number, next: number): readonly Range[] {
  const from = Math.ceil(position);
  const to = Math.ceil(next);
  if (next > position) return ranges([from, to]);
  return next === position ? ranges([0, ringSize]) : ranges([from, ringSize], [0, to]);
}

/**
 * What wakes one that waits: its own arc, and as a backup the arc of the next one.
 * @param after the next two positions that wait; fewer where there are none.
 */
export function wakingArcs(
  position: number,
  after: readonly number[],
): { readonly own: readonly Range[]; readonly late: readonly Range[] } {
  const [next = position, second = position] = after;
  const own = arcOf(position, next);
  // Two at one position share its arc, and two in a ring of two back each other up.
  return { own, late: next === position || second === next ? [] : arcOf(next, second) };
}

function ranges(...points: readonly (readonly [number, number])[]): readonly Range[] {
  return points
    .filter(([from, to]) => from < to)
    .map(([from, to]) => ({ from: ringPositionAt(from), to: ringPositionAt(to) }));
}
