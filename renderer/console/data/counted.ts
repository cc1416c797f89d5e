import { formatCount } from "../../../app/format/quantity.ts";
import type { QueueStats } from "./rows.ts";

export type Counted = QueueStats["ready"];

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
