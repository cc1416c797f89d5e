import type { Random } from "./random.ts";

/** Draws ranks from 0 to count-1. The probability of rank r is proportional to 1 / (r + 1). */
export function zipf(count: number): (random: Random) => number {
  const upTo = new Float64Array(count);
  let total = 0;
  for (let rank = 0; rank < count; rank += 1) {
    total += 1 / (rank + 1);
    upTo[rank] = total;
  }
  return (random) => {
    const target = random.next() * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((upTo[middle] ?? 0) > target) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
