import { formatCount } from "../../../app/format/quantity.ts";
import { keyLimits } from "../../../app/jobs/limits.ts";

/** Null means no limit. */
export type Limits = { readonly concurrency: number | null; readonly weight: number | null };

type ParsedLimits =
  | { readonly kind: "ok"; readonly limits: Limits }
  /** The error of each field. Null if it is valid. */
  | { readonly kind: "wrong"; readonly concurrency: string | null; readonly weight: string | null };

/** Parses the limits of an API key. An empty field means no limit. */
export function parseLimits(concurrency: string, weight: string): ParsedLimits {
  const atOnce = parseWhole(concurrency, keyLimits.maxConcurrency);
  const turns = parseWhole(weight, keyLimits.maxWeight);
  if (typeof atOnce === "string" || typeof turns === "string") {
    return {
      kind: "wrong",
      concurrency: typeof atOnce === "string" ? atOnce : null,
      weight: typeof turns === "string" ? turns : null,
    };
  }
  return { kind: "ok", limits: { concurrency: atOnce, weight: turns } };
}

function parseWhole(typed: string, most: number): number | null | string {
  const text = typed.trim();
  if (text === "") return null;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  return `Must be a whole number from 1 to ${formatCount(most)}.`;
}
