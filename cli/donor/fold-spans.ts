import type { Explanation } from "../../app/contract/explanation.ts";

type Span = Pick<Explanation["spans"][number], "from" | "to" | "short" | "facts">;

/** Spans shorter than this tell little one by one … */
const shortMs = 2 * 60_000;
/** … where two kinds of them follow each other so often: a donor gives way to whoever types and thinks in turns. */
const leastFolded = 6;

/** The spans to be told, in their order: short ones that take turns as one. */
export function foldSpans(spans: readonly Span[]): readonly Span[] {
  const told: Span[] = [];
  let row: Span[] = [];
  for (const span of spans) {
    const isShort = span.to - span.from < shortMs;
    if (!isShort || kindsOf([...row, span]).length > 2) {
      told.push(...folded(row));
      row = [];
    }
    if (isShort) row.push(span);
    else told.push(span);
  }
  return [...told, ...folded(row)];
}

function folded(row: readonly Span[]): readonly Span[] {
  const [first, last] = [row[0], row.at(-1)];
  if (first === undefined || last === undefined || row.length < leastFolded) return row;
  const short = `${kindsOf(row).join(", ")}: ${row.length} × in turn`;
  return [{ from: first.from, to: last.to, short, facts: {} }];
}

function kindsOf(row: readonly Span[]): readonly string[] {
  return [...new Set(row.map(({ short }) => short))];
}
