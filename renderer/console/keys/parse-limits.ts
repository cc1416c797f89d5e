import { keyLimits } from "../../../app/jobs/limits.ts";

/** null: no limit of its own. */
export type Limits = { readonly concurrency: number | null; readonly weight: number | null };

export type ParsedLimits =
  | { readonly kind: "ok"; readonly limits: Limits }
  /** What is wrong with each field; null when nothing is. */
  | { readonly kind: "wrong"; readonly concurrency: string | null; readonly weight: string | null };

/** The limits of an API key as they were typed; an empty field asks for none. */
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
  return `Must be a whole number from 1 to ${most.toLocaleString("en")}.`;
}
