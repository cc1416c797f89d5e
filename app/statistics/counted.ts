import { formatCount } from "../format/quantity.ts";

/** A number of things now. Not exact: there are at least 100, and `count` is up to a minute old. */
export type Counted = { readonly count: number; readonly exact: boolean };

export const noneCounted: Counted = { count: 0, exact: true };

const countedExactly = 100;

/** "12" if it is exact now, "100+", or "about 2,318" as of the last minute. The same words on every page. */
export function countedWords({ count, exact }: Counted): string {
  if (exact) return formatCount(count);
  return count === countedExactly ? `${formatCount(count)}+` : `about ${formatCount(count)}`;
}

/** Both together. */
export function countedSum(a: Counted, b: Counted): Counted {
  return { count: a.count + b.count, exact: a.exact && b.exact };
}
