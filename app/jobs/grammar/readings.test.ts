import fc from "fast-check";
import { expect, it } from "vitest";
import { overlap } from "./chars.ts";
import { mostReadings } from "./choice-steps.ts";
import { costMistake } from "./cost.ts";
import { grammarRules } from "./gbnf.ts";
import type { GrammarPart, GrammarRules, GrammarText } from "./parts.ts";
import { literalText } from "./parts.ts";

/** The next place of a reading: a text and all after it, or the end. */
type Place = { readonly text: GrammarText; readonly rest: readonly GrammarPart[] } | "end";

/** Follows all readings one by one, as llama.cpp does. */
function places(rules: GrammarRules, [part, ...rest]: readonly GrammarPart[]): readonly Place[] {
  if (part === undefined) return ["end"];
  switch (part.kind) {
    case "text":
      return [{ text: part, rest }];
    case "rule":
      return (rules.get(part.name) ?? []).flatMap((sequence) => places(rules, [...sequence, ...rest]));
    case "choice":
      return part.of.flatMap((sequence) => places(rules, [...sequence, ...rest]));
    case "repeated": {
      const { least, most } = part;
      const again = { ...part, least: Math.max(0, least - 1), most: most - 1 };
      const once = most > 0 ? places(rules, [part.part, again, ...rest]) : [];
      return least > 0 ? once : [...once, ...places(rules, rest)];
    }
  }
}

function follow(rules: GrammarRules, open: readonly Place[], char: string): readonly Place[] {
  return open.flatMap((place) => after(rules, place, char));
}

function after(rules: GrammarRules, place: Place, char: string): readonly Place[] {
  if (place === "end" || !overlap(place.text.first, literalText(char).first)) return [];
  const left = place.text.literal?.slice(1) ?? "";
  return places(rules, left === "" ? place.rest : [literalText(left), ...place.rest]);
}

const sign = fc.constantFrom("", "", "", "?", "*", "+", "{0,3}", "{2}", "{2,}", "{1,4}");
const { sequence } = fc.letrec<{ sequence: string; symbol: string }>((tie) => ({
  symbol: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('"a"', '"b"', '"ab"', '"aa"', "[ab]", "[^a]", "x", "y"),
    fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((all) => `(${all.join(" | ")})`),
  ),
  sequence: fc
    .array(fc.tuple(tie("symbol"), sign), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((pair) => pair.join("")).join(" ")),
}));
const grammar = fc.record({ root: sequence, x: sequence });
const word = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });

it("the readings of a text are never more than were counted, from any place on", () => {
  let most = 0;
  fc.assert(
    fc.property(grammar, fc.array(word, { minLength: 10, maxLength: 10 }), ({ root, x }, words) => {
      const rules = grammarRules(`root ::= ${root}\nx ::= ${x} | "b"\ny ::= "a" x | "b" y "c"? | "c"`);
      fc.pre(costMistake(rules, "grammar") === null);
      // A place within a literal has the readings of the place after it, at a later character.
      let before = 0;
      const counted = Array.from(mostReadings(rules), (each) => (before = Math.max(before, each)));
      for (const chars of words) {
        const start = places(rules, [{ kind: "rule", name: "root" }]);
        const reached = chars.slice(0, 3).reduce((open, char) => follow(rules, open, char), start);
        for (const from of [start, ...reached.slice(0, 10).map((place) => [place])]) {
          let open = from;
          for (const [length, char] of [...chars, ""].entries()) {
            expect(open.length).toBeLessThanOrEqual(counted[length] ?? 0);
            most = Math.max(most, open.length);
            if (char === "" || open.length > 300) break;
            open = follow(rules, open, char);
          }
        }
      }
    }),
    { seed: 12, numRuns: 100 },
  );
  // Otherwise the grammars would be too simple to prove anything.
  expect(most).toBeGreaterThan(20);
});
