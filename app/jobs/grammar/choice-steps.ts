import { Continuations } from "./continuations.ts";
import type { GrammarChoice, GrammarPart, GrammarRules } from "./parts.ts";
import { Readings } from "./readings.ts";

/**
 * Whether llama.cpp may take more than `limit` steps to choose one token. For each token of the vocabulary that does not
 * fit, it follows every reading of the token's characters, so a grammar that reads the same text in many ways takes
 * minutes. The count looks 16 characters ahead from each place. Places that the text before may have led to are not added
 * up. So a grammar that was made for it can take longer than counted. The runner's watch ends such a job. Source:
 * llama.cpp, src/llama-grammar.cpp, llama_grammar_reject_candidates.
 */
export function exceedsChoiceSteps(rules: GrammarRules, limit: number): boolean {
  const used = usedRules(rules);
  const readings = new Readings(used);
  if (!readings.multiply) return false;
  let steps = 0;
  let chars = 0;
  for (const most of new Continuations(used, readings).most()) {
    steps += most * tokensLongerThan(chars);
    // Longer texts only add to it.
    if (steps > limit) return true;
    chars += 1;
  }
  return false;
}

/**
 * The most readings of the same text from any place in a grammar, by the text's characters, from 0 to 16. Readings that
 * the next character tells apart count once. Upper bounds. No rule of the grammar may begin with itself.
 */
export function mostReadings(rules: GrammarRules): Iterable<number> {
  const used = usedRules(rules);
  return new Continuations(used, new Readings(used)).most();
}

/** How many tokens are longer: a vocabulary of 128,000 tokens, of which half are left every two characters after four. */
function tokensLongerThan(chars: number): number {
  return 128_000 * 0.5 ** Math.max(0, (chars - 4) / 2);
}

/** Leaves out the rules that nothing refers to. A schema has many, for each tool of a request. */
function usedRules(rules: GrammarRules): GrammarRules {
  const used = new Map<string, GrammarChoice>();
  const addAll = (choice: GrammarChoice): void => {
    for (const sequence of choice) sequence.forEach(add);
  };
  const add = (part: GrammarPart): void => {
    if (part.kind === "repeated") add(part.part);
    else if (part.kind === "choice") addAll(part.of);
    else if (part.kind === "rule" && !used.has(part.name)) {
      const choice = rules.get(part.name) ?? [];
      used.set(part.name, choice);
      addAll(choice);
    }
  };
  add({ kind: "rule", name: "root" });
  return used;
}
