import { factLabel, known, sayFact } from "../../app/facts/facts.ts";
import { plural } from "../../app/format/quantity.ts";
import { formatMomentOfWeek, formatSpan } from "../../app/format/time.ts";
import type { Explanation } from "../../app/contract/explanation.ts";
import { foldSpans } from "./fold-spans.ts";
import { table } from "./words.ts";

/** What the donor did in a time, in lines for a person: the spans, then the totals. */
export function sayExplanation({ since, until, spans, totals, donatedMs, jobs }: Explanation): string {
  const share = Math.round((donatedMs / (until - since)) * 100);
  const head =
    `In ${formatSpan(until - since)}, since ${formatMomentOfWeek(since, until)}: ` +
    `donated for ${formatSpan(donatedMs)} (${share} %). ${sayJobs(jobs)}`;
  const rows = foldSpans(spans).map(({ from, to, short, facts }) => [
    `  ${formatMomentOfWeek(from, until)}`,
    formatSpan(to - from),
    short,
    sayFacts(facts),
  ]);
  const sums = totals.map(({ ms, short, spans: times, sentence }) => [
    `  ${formatSpan(ms)}`,
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
  if (begun === 0) return "No job was begun.";
  const ends = [
    `${succeeded} done`,
    ...(failed > 0 ? [`${failed} failed${sayCodes(codes)}`] : []),
    ...(letGo > 0 ? [`${letGo} given back`] : []),
  ];
  return (
    `Of ${plural(begun, "job")} begun: ${ends.join(", ")} ` +
    `(${promptTokens} tokens read, ${completionTokens} written).`
  );
}

function sayCodes(codes: Explanation["jobs"]["codes"]): string {
  const all = Object.entries(codes).map(([code, times]) => (times === 1 ? code : `${code} ${times} ×`));
  return all.length === 0 ? "" : ` (${all.join(", ")})`;
}

/** In the journal null is unknown. It is left out: where an unknown fact matters, the reason says so. */
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
