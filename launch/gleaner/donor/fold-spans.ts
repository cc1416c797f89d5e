import type { Explanation } from "../../../main/journal/explain.ts";

type Span = Pick<Explanation["spans"][number], "from" | "to" | "short" | "facts">;

/** Spans shorter than this tell little one by one … */
const shortMs = 2 * 60_000;
/** … where so many come in a row: a donor gives way to whoever types and thinks in turns several times a minute. */
const leastFolded = 6;

/** The spans to be told, in their order: many short ones in a row as one, with what they were. */
export function foldSpans(spans: readonly Span[]): readonly Span[] {
  const told: Span[] = [];
  let row: Span[] = [];
  const end = (): void => {
    told.push(...(row.length < leastFolded ? row : [folded(row)]));
    row = [];
  };
  for (const span of spans) {
    if (span.to - span.from < shortMs) row.push(span);
    else {
      end();
      told.push(span);
    }
  }
  end();
  return told;
}

function folded(row: readonly Span[]): Span {
  const shorts = new Set(row.map(({ short }) => short));
  const from = Math.min(...row.map((span) => span.from));
  const to = Math.max(...row.map((span) => span.to));
  return { from, to, short: `${[...shorts].join(", ")}: ${row.length} × in turn`, facts: {} };
}
