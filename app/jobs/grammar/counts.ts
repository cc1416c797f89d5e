/** Two numbers that are counted side by side for one number of characters. */
export type Count = { readonly complete: number; readonly alive: number };

/** The counts for each number of characters: readings that end there, and readings that go on there. */
export type Counts = { readonly complete: number[]; readonly alive: number[] };

/** Readings are counted for this many characters. Longer tokens are few. */
export const mostChars = 16;

/** Larger counts are all the same, and sums of them stay exact. */
const countless = 1e9;

export const none: Count = { complete: 0, alive: 0 };

/** The only reading of nothing. */
export const end: Counts = {
  complete: [1, ...Array<number>(mostChars).fill(0)],
  alive: Array<number>(mostChars + 1).fill(0),
};

export function bounded(count: number): number {
  return Math.min(count, countless);
}

/** The readings of two parts in sequence, over all places between them, or only the best place if the text tells it. */
export function combined(
  chars: number,
  isAmbiguous: boolean,
  first: (length: number) => number,
  rest: (length: number) => number,
): number {
  let total = 0;
  for (let length = 0; length <= chars; length += 1) {
    const after = rest(chars - length);
    if (after === 0) continue;
    const count = first(length) * after;
    total = isAmbiguous ? total + count : Math.max(total, count);
  }
  return bounded(total);
}
