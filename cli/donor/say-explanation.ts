import type { Explanation } from "../../app/contract/explanation.ts";
import { foldSpans } from "./fold-spans.ts";
import { factInWords, factLabel, lengthInWords, momentInWords, table } from "./words.ts";

/** What the donor did in a time, in lines for a person: the spans, then the totals. */
export function sayExplanation({ since, until, spans, totals, donatedMs, jobs }: Explanation): string {
  const share = Math.round((donatedMs / (until - since)) * 100);
  const head =
    `In ${lengthInWords(until - since)}, since ${momentInWords(since, until)}: ` +
    `donated for ${lengthInWords(donatedMs)} (${share} %). ${sayJobs(jobs)}`;
  const rows = foldSpans(spans).map(({ from, to, short, facts }) => [
    `  ${momentInWords(from, until)}`,
    lengthInWords(to - from),
    short,
    sayFacts(facts),
  ]);
  const sums = totals.map(({ ms, short, spans: times, sentence }) => [
    `  ${lengthInWords(ms)}`,
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
    `Of ${begun} ${begun === 1 ? "job" : "jobs"} begun: ${ends.join(", ")} ` +
    `(${promptTokens} tokens read, ${completionTokens} written).`
  );
}

function sayCodes(codes: Explanation["jobs"]["codes"]): string {
  const all = Object.entries(codes).map(([code, times]) => (times === 1 ? code : `${code} ${times} ×`));
  return all.length === 0 ? "" : ` (${all.join(", ")})`;
}

/** In the journal null is unknown: such a fact is worth no words but where it is the reason, which says so itself. */
function sayFacts(facts: Explanation["spans"][number]["facts"]): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${factLabel(name)}: ${factInWords(name, value)}`)
    .join(", ");
}
