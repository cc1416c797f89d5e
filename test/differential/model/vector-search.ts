import type { VectorSearch } from "../convex/noteProgram.ts";
import { idOf, type Note } from "./note.ts";

const dimensions = 2;
const defaultLimit = 10;
const mostResults = 256;

export type Found = { readonly id: string; readonly score: number };

/** Compares all vectors. A text is the reason why Convex refuses the search. */
export function nearest(
  notes: readonly Note[],
  { vector, limit, any }: VectorSearch,
): readonly Found[] | string {
  if ((limit ?? defaultLimit) > mostResults) return "limit";
  if (vector.length !== dimensions) return "dimensions";
  return notes
    .filter(({ fields }) => any === null || any.some(({ value }) => fields["topic"] === value))
    .flatMap(({ number, fields }) => {
      const other = fields["vector"];
      if (!Array.isArray(other) || other.length !== dimensions) return [];
      if (!other.every((part) => typeof part === "number")) return [];
      return [{ id: idOf(number), score: cosine(vector, other) }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, limit ?? defaultLimit);
}

/** The cosine of the angle; zero if one of the vectors has no direction. */
function cosine(a: readonly number[], b: readonly number[]): number {
  const product = a.reduce((sum, part, n) => sum + part * b[n]!, 0);
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : product / lengths;
}

/**
 * Results by score. Convex promises no order among equal scores, so each score has its ids in any order. If the limit
 * cuts equal ones, any of them may be left out, and only their number is compared.
 */
export function byScore(found: readonly Found[], limit: number | null): readonly unknown[] {
  const rounded = found.map(({ id, score }) => ({ id, score: Math.round(score * 1e6) / 1e6 + 0 }));
  const last = found.length === (limit ?? defaultLimit) ? rounded.at(-1)?.score : undefined;
  return [...new Set(rounded.map(({ score }) => score))].map((score) => {
    const ids = rounded.filter((each) => each.score === score).map(({ id }) => id);
    return { score, found: score === last ? ids.length : ids.sort() };
  });
}
