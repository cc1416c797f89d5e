import { formatPercent } from "../../../app/format/quantity.ts";
import { type PriorityPrices, priorityPricesMistake } from "../../../app/jobs/priority.ts";

/** Typed percents, by priority. */
export type TypedPercents = Readonly<Record<keyof PriorityPrices, string>>;

/** Parses typed percents. */
export function parsePercents({
  low,
  normal,
  high,
}: TypedPercents):
  | { readonly kind: "ok"; readonly prices: PriorityPrices }
  | { readonly kind: "wrong"; readonly why: string } {
  const prices = { low: percentOf(low), normal: percentOf(normal), high: percentOf(high) };
  const why = priorityPricesMistake(prices);
  return why === null ? { kind: "ok", prices } : { kind: "wrong", why };
}

function percentOf(typed: string): number {
  const text = typed.trim().replace(/\s*%$/, "");
  return /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
}

/** What the priorities cost, in words. */
export function priceWords({ low, normal, high }: PriorityPrices): string {
  if (low === 100 && normal === 100 && high === 100) return "Jobs of all priorities cost the same.";
  return `Jobs cost ${formatPercent(low)} of these prices at low priority, ${formatPercent(normal)} at normal and ${formatPercent(high)} at high.`;
}
