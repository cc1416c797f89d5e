import { CellLists } from "../structures/cell-lists.ts";
import type { Random } from "../structures/random.ts";

const gapsSampled = 8;

/** Chooses places one after the other, each in the middle of the largest of eight randomly sampled gaps. */
export function inLargestGaps(devices: number, cells: number, random: Random): Int32Array {
  const positions = new Int32Array(devices);
  const taken = new CellLists(cells, devices);
  for (let device = 0; device < devices; device += 1) {
    let widest = 0;
    let middle = 0;
    for (let sample = 0; sample < gapsSampled && device > 0; sample += 1) {
      const point = random.below(cells);
      const from = taken.cellUpTo(point);
      const width = (taken.cellFrom(point + 1) - from + cells) % cells || cells;
      if (width <= widest) continue;
      widest = width;
      middle = (from + (width >>> 1)) % cells;
    }
    positions[device] = middle;
    taken.add(device, middle);
  }
  return positions;
}
