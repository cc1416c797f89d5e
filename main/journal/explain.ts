import type { Explanation } from "../../app/contract/explanation.ts";
import { wordsOf } from "../../app/contract/span-words.ts";
import type { JournalEntry } from "./entry.ts";
import { type Span, spansOf } from "./spans.ts";

/**
 * Explains from the journal what the donor did from `since` until `now`, in the policy's words. Pure.
 *
 * @param running whether the donor runs now. If not, it ran at most until its last entry.
 */
export function explain(
  entries: readonly JournalEntry[],
  since: number,
  now: number,
  running = true,
): Explanation {
  const spans = spansOf(entries, since, now, running);
  return {
    since,
    until: now,
    spans: spans.map((span) => ({ ...span, short: wordsOf(span).short })),
    totals: totalsOf(spans, now - since),
    donatedMs: sum(spans.filter(({ kind }) => kind === "donating").map(lengthOf)),
    jobs: jobsOf(entries.filter(({ at }) => at >= since && at <= now)),
  };
}

function totalsOf(spans: readonly Span[], ms: number): Explanation["totals"] {
  const groups = new Map<string, [Span, ...Span[]]>();
  for (const span of spans) {
    const key = `${span.kind} ${span.reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [span]);
    else group.push(span);
  }
  return [...groups.values()].map((group) => totalOf(group, ms)).sort((a, b) => b.ms - a.ms);
}

function totalOf(group: readonly [Span, ...Span[]], allMs: number): Explanation["totals"][number] {
  const [{ kind, reason }] = group;
  const { short, sentence } = wordsOf({ kind, reason });
  const ms = sum(group.map(lengthOf));
  return { kind, reason, short, sentence, ms, share: ms / allMs, spans: group.length };
}

function jobsOf(entries: readonly JournalEntry[]): Explanation["jobs"] {
  const jobs = entries.filter((entry) => entry.kind === "jobs");
  const codes: Record<string, number> = {};
  for (const [code, times] of jobs.flatMap((each) => Object.entries(each.codes ?? {}))) {
    codes[code] = (codes[code] ?? 0) + times;
  }
  return {
    begun: sum(jobs.map(({ begun }) => begun)),
    succeeded: sum(jobs.map(({ succeeded }) => succeeded)),
    failed: sum(jobs.map(({ failed }) => failed)),
    letGo: sum(jobs.map(({ letGo }) => letGo)),
    promptTokens: sum(jobs.map(({ promptTokens }) => promptTokens)),
    completionTokens: sum(jobs.map(({ completionTokens }) => completionTokens)),
    codes,
  };
}

function lengthOf({ from, to }: Span): number {
  return to - from;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
