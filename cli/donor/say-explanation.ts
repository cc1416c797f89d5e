import type { Explanation } from "../../app/contract/explanation.ts";
import { factLabel, known, sayFact } from "../../app/facts/facts.ts";
import { formatShare, plural } from "../../app/format/quantity.ts";
import { formatDuration, formatMoment } from "../../app/format/time.ts";
import { table } from "../command/output.ts";

/** An explanation in lines for a person: a summary, the spans, then the totals. */
export function sayExplanation({ since, until, spans, totals, donatedMs, jobs }: Explanation): string {
  const head =
    `In ${formatDuration(until - since)}, since ${formatMoment(since, until)}: ` +
    `donated for ${formatDuration(donatedMs)} (${formatShare(donatedMs / (until - since))}). ${sayJobs(jobs)}`;
  const rows = foldSpans(spans).map(({ from, to, short, facts }) => [
    `  ${formatMoment(from, until)}`,
    formatDuration(to - from),
    short,
    sayFacts(facts),
  ]);
  const sums = totals.map(({ ms, short, spans: times, sentence }) => [
    `  ${formatDuration(ms)}`,
    `${times} ×`,
    short,
    sentence,
  ]);
  return [head, "", table(rows), "", "In all:", table(sums)].join("\n");
}

function sayJobs({
  begun,
  succeeded,
  failed,
  letGo,
  promptTokens,
  completionTokens,
  codes,
}: Explanation["jobs"]): string {
  if (begun === 0) return "No job was started.";
  const ends = [
    `${succeeded} done`,
    ...(failed > 0 ? [`${failed} failed${sayCodes(codes)}`] : []),
    ...(letGo > 0 ? [`${letGo} given back`] : []),
  ];
  return (
    `Of ${plural(begun, ["# job", "# jobs"])} started: ${ends.join(", ")} ` +
    `(${promptTokens} tokens read, ${completionTokens} written).`
  );
}

function sayCodes(codes: Explanation["jobs"]["codes"]): string {
  const all = Object.entries(codes).map(([code, times]) => (times === 1 ? code : `${code} ${times} ×`));
  return all.length === 0 ? "" : ` (${all.join(", ")})`;
}

/** Leaves out unknown facts (null in the journal): if one matters, the reason says so. */
function sayFacts(facts: Explanation["spans"][number]["facts"]): string {
  // The journal keeps the names of networks as one text.
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        `${factLabel(name)}: ${name === "networks" ? String(value) : sayFact(name, known(value))}`,
    )
    .join(", ");
}

type Span = Pick<Explanation["spans"][number], "from" | "to" | "short" | "facts">;

/** Folds runs of at least this many short, alternating spans. A donor often yields to a person at work. */
const leastFolded = 6;
const shortMs = 2 * 60_000;

/** The same spans in order, with short alternating ones folded into one. */
function foldSpans(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  let row: Span[] = [];
  for (const span of spans) {
    const isShort = span.to - span.from < shortMs;
    if (!isShort || kindsOf([...row, span]).length > 2) {
      result.push(...folded(row));
      row = [];
    }
    if (isShort) row.push(span);
    else result.push(span);
  }
  return [...result, ...folded(row)];
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
