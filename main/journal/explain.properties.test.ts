import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "./entry.ts";
import { explain } from "./explain.ts";
import { spansOf } from "./spans.ts";

const now = 10_000_000;

const at = fc.integer({ min: 0, max: now * 1.1 });
const entry: fc.Arbitrary<JournalEntry> = fc.oneof(
  fc.record({
    kind: fc.constant("activity" as const),
    at,
    activity: fc.constantFrom("donating" as const, "standby" as const),
    reason: fc.constantFrom("idle", "in-use", "on-battery", "a-later-reason"),
    facts: fc.constant({}),
  }),
  fc.record({ kind: fc.constant("facts" as const), at, facts: fc.constant({}) }),
  fc.record({
    kind: fc.constant("lifecycle" as const),
    at,
    event: fc.constantFrom("start" as const, "stop" as const, "suspend" as const, "resume" as const),
  }),
);

/** Mostly in order. Sometimes a clock was set back. */
const journal = fc
  .tuple(fc.array(entry, { maxLength: 40 }), fc.boolean())
  .map(([entries, disordered]) => (disordered ? entries : entries.toSorted((a, b) => a.at - b.at)));
const since = fc.integer({ min: 0, max: now - 1 });

describe("spans", () => {
  it("cover the time from since until now without gap or overlap, and neighbors differ", () => {
    fc.assert(
      fc.property(journal, since, fc.boolean(), (entries, from, running) => {
        const spans = spansOf(entries, from, now, running);
        expect(spans.at(0)?.from).toBe(from);
        expect(spans.at(-1)?.to).toBe(now);
        for (const [i, span] of spans.entries()) {
          expect(span.to).toBeGreaterThan(span.from);
          const next = spans[i + 1];
          if (next === undefined) continue;
          expect(next.from).toBe(span.to);
          expect(`${next.kind} ${next.reason}`).not.toBe(`${span.kind} ${span.reason}`);
        }
      }),
    );
  });

  it("do not depend on `since`", () => {
    fc.assert(
      fc.property(journal, since, since, (entries, one, other) => {
        const [early, late] = [Math.min(one, other), Math.max(one, other)];
        const cut = spansOf(entries, early, now)
          .filter(({ to }) => to > late)
          .map((span) => ({ ...span, from: Math.max(span.from, late) }));
        const kindsOf = (spans: typeof cut): unknown[] =>
          spans.map(({ from, to, kind, reason }) => [from, to, kind, reason]);
        expect(kindsOf([...spansOf(entries, late, now)])).toEqual(kindsOf(cut));
      }),
    );
  });

  it("contain no activity after the last entry of a donor that does not run", () => {
    fc.assert(
      fc.property(journal, since, (entries, from) => {
        const last = spansOf(entries, from, now, false).at(-1);
        const heardNow = entries.some((each) => each.at >= now);
        if (!heardNow) expect(["donating", "standby"]).not.toContain(last?.kind);
      }),
    );
  });
});

describe("an explanation", () => {
  it("has totals that add up to the whole time", () => {
    fc.assert(
      fc.property(journal, since, (entries, from) => {
        const { totals, donatedMs, spans } = explain(entries, from, now);
        expect(totals.reduce((sum, { ms }) => sum + ms, 0)).toBe(now - from);
        expect(totals.reduce((sum, total) => sum + total.spans, 0)).toBe(spans.length);
        expect(totals.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
        const donated = totals.filter(({ kind }) => kind === "donating");
        expect(donated.reduce((sum, { ms }) => sum + ms, 0)).toBe(donatedMs);
      }),
    );
  });
});
