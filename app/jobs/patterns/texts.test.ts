import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepts, sampleOf } from "./automaton.fixture.ts";
import type { Automaton } from "./automaton.ts";
import { textAutomaton, type TextForm } from "./texts.ts";
import { Unenforceable } from "./work.ts";

function automatonOf(source: string, more: Partial<TextForm> = {}): Automaton | null {
  return textAutomaton({ patterns: [{ source, ignoresCase: false }], least: 0, most: Infinity, ...more });
}

describe("the automaton of a pattern", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["^[A-Z]{2}\\d{4}$", ["DE1234"], ["de1234", "DE123", "DE12345", " DE1234"]],
    ["cat", ["cat", "a cat\n", "concatenate"], ["", "ca t", "Cat"]],
    ["^a", ["a", "ab\n"], ["", "ba"]],
    ["a$", ["a", "\nba"], ["", "ab", "a\n"]],
    ["^a|b$|^$", ["", "ac", "cb"], ["ca", "bc"]],
    ["^.$", ["a", "é", "🐦", "\u0000"], ["", "\n", "\u2028", "ab"]],
    ["^\\s\\S$", [" a", "\u00A0.", "\uFEFFx"], ["a ", "  "]],
    ["^[^\\d\\s]+$", ["ab", "é"], ["a1", "a b", ""]],
    ["^[\\u{1F426}-\\u{1F428}\\-\\]]$", ["🐦", "🐨", "-", "]"], ["🐩", "\\"]],
    ["^\\uD83D\\uDC26\\x41\\u0042\\cJ\\0$", ["🐦AB\n\u0000"], ["🐦AB"]],
    ["^(?<year>\\d+)-(?:a|b)??$", ["1-", "12-b"], ["-", "1-ab"]],
    ["^(?!\\.)(?!.*\\.\\.)[a.]+@a$", ["a@a", "a.a@a"], [".a@a", "a..a@a"]],
    ["^(?=.*\\d)(?=.*[A-Z]).{3,}$", ["aB1", "1B.."], ["B1", "ab1", "ABC"]],
    ["^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$", ["1", "-.5", "007"], ["", "+", ".", "1e5"]],
  ])("of %s accepts what it matches", (source, right, wrong) => {
    const automaton = automatonOf(source);
    if (automaton === null) throw new Error("no automaton");
    for (const text of [...right, ...wrong]) {
      expect(new RegExp(source, "u").test(text), text).toBe(right.includes(text));
      expect(accepts(automaton, text), text).toBe(right.includes(text));
    }
  });

  it.each(["(a)\\1", "\\bcat", "(?<=a)b", "a(?=b)", "(?=a)b", "^\\p{L}$", "^(?!a)b|c", "a{501}"])(
    "is not made for %s",
    (source) => {
      expect(() => automatonOf(source)).toThrow(Unenforceable);
    },
  );

  it.each(["a^", "$a", "^[]$", "^(?!a)a$", "^\\uD800$"])(
    "is not made for %s, which no text matches",
    (source) => {
      expect(automatonOf(source)).toBeNull();
    },
  );

  it.each(["[ab].{12}$", "^(?:.{0,500}a){0,500}$", "^(?:a{0,60}b){0,30}$", "^.{0,500}é.{0,500}$"])(
    "is too large for %s",
    (source) => {
      expect(() => automatonOf(source)).toThrow(Unenforceable);
    },
  );

  it("counts code points beside a pattern", () => {
    const automaton = automatonOf("^🐦+$", { least: 2, most: 3 });
    if (automaton === null) throw new Error("no automaton");
    const fitting = ["", "🐦", "🐦🐦", "🐦🐦🐦", "🐦🐦🐦🐦"].filter((text) => accepts(automaton, text));
    expect(fitting).toEqual(["🐦🐦", "🐦🐦🐦"]);
    expect(automatonOf("^a{3}$", { least: 4 })).toBeNull();
  });

  it("accepts what all of several patterns match, and ignores the case of letters on request", () => {
    const patterns = [
      { source: "^[a-f]+$", ignoresCase: true },
      { source: "A", ignoresCase: false },
    ];
    const automaton = textAutomaton({ patterns, least: 0, most: Infinity });
    if (automaton === null) throw new Error("no automaton");
    expect(["A", "bAF", "a", "Ag"].filter((text) => accepts(automaton, text))).toEqual(["A", "bAF"]);
  });
});

const one = fc.constantFrom(
  ...[
    "a",
    "b",
    "é",
    "🐦",
    "-",
    '"',
    "/",
    "\\\\",
    "\\.",
    "\\n",
    "\\x20",
    "\\u2028",
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
  ],
  ...["\\s", "\\S", "[abc]", "[^a-c]", "[\\d\\-é]", "[^\\w\\s]", "[🐦-🐨]", "[^]", "^", "$"],
);
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, depthSize: "small", withCrossShrink: true },
    one,
    tie("pattern").map((inner) => `(?:${inner})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "+?"))
      .map(([inner, sign]) => `(?:${inner})${sign}`),
  ),
  pattern: fc.oneof(
    fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
    fc.array(tie("part"), { minLength: 2, maxLength: 3 }).map((parts) => parts.join("|")),
    fc.array(tie("part"), { maxLength: 4 }).map((parts) => `^${parts.join("")}$`),
  ),
}));
const text = fc.string({
  unit: fc.constantFrom(...Array.from('abcAé🐦𐀀09_-./ "\\'), "\n", "\t", "\u2028", "\u0000", "\uFEFF"),
  maxLength: 8,
});

it("a random pattern's automaton accepts exactly the texts that it matches", () => {
  const counts = { right: 0, wrong: 0, sampled: 0 };
  fc.assert(
    fc.property(
      pattern,
      fc.array(text, { minLength: 5, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (source, texts, numbers) => {
        const expression = new RegExp(source, "u");
        let automaton: Automaton | null = null;
        try {
          automaton = automatonOf(source);
        } catch (error) {
          if (!(error instanceof Unenforceable)) throw error;
          fc.pre(false);
        }
        for (const each of texts) {
          const isRight = expression.test(each);
          expect(automaton !== null && accepts(automaton, each)).toBe(isRight);
          counts[isRight ? "right" : "wrong"] += 1;
        }
        if (automaton === null) return;
        const sample = sampleOf(automaton, (below) => numbers.next().value % below);
        // Longer ones may take a regular expression very long.
        if (sample.length > 10) return;
        expect(expression.test(sample)).toBe(true);
        counts.sampled += 1;
      },
    ),
    { seed: 11, numRuns: 2_000 },
  );
  expect(Math.min(counts.right, counts.wrong, counts.sampled)).toBeGreaterThan(500);
});
