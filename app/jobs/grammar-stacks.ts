import { assertNever } from "../assert-never.ts";

/** The parts of a grammar. Every set of characters is one `text`, since only the shape counts here. */
export type GrammarPart =
  | { readonly kind: "text" }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "choice"; readonly of: readonly GrammarSequence[] }
  | {
      readonly kind: "repeated";
      readonly part: GrammarPart;
      readonly least: number;
      readonly most: number;
    };

export type GrammarSequence = readonly GrammarPart[];

/** The number of ways to reach a next character (`begins`), and the number of ways to produce no text (`nothing`). */
type Ways = { readonly begins: number; readonly nothing: number };

const nothing: Ways = { begins: 0, nothing: 1 };

/**
 * The most stacks that llama.cpp would keep at one position of a grammar, one for each way to continue. It computes them in
 * native code that cannot be interrupted. Infinity if a rule begins with itself.
 * Source: llama.cpp, src/llama-grammar.cpp, llama_grammar_advance_stack.
 */
export function mostStacks(rules: ReadonlyMap<string, readonly GrammarSequence[]>): number {
  const known = new Map<string, Ways | "being counted">();

  const ofRule = (name: string): Ways => {
    const before = known.get(name);
    if (before === "being counted") return { begins: Infinity, nothing: Infinity };
    if (before !== undefined) return before;
    known.set(name, "being counted");
    const ways = ofChoice(rules.get(name) ?? []);
    known.set(name, ways);
    return ways;
  };
  const ofChoice = (choice: readonly GrammarSequence[]): Ways =>
    sum(choice.map((sequence) => ofSequence(sequence)));
  // Stops at the first character, because a rule may refer to itself after it.
  const ofSequence = (sequence: GrammarSequence, from = 0): Ways => {
    let ways = nothing;
    for (let at = from; at < sequence.length && ways.nothing > 0; at += 1) {
      const part = sequence[at];
      if (part !== undefined) ways = then(ways, ofPart(part));
    }
    return ways;
  };
  const ofPart = (part: GrammarPart): Ways => {
    switch (part.kind) {
      case "text":
        return { begins: 1, nothing: 0 };
      case "rule":
        return ofRule(part.name);
      case "choice":
        return ofChoice(part.of);
      case "repeated":
        return ofRepeated(ofPart(part.part), part.least, part.most);
      default:
        return assertNever(part);
    }
  };

  // llama.cpp may continue from any position of a sequence after a character.
  const mostIn = (sequence: GrammarSequence): number =>
    Math.max(
      0,
      ...sequence.flatMap((part, at) => {
        const { begins, nothing: none } = ofSequence(sequence, at);
        return [begins + none, mostWithin(part)];
      }),
    );
  const mostWithin = (part: GrammarPart): number => {
    if (part.kind === "repeated") return mostWithin(part.part);
    return part.kind === "choice" ? Math.max(0, ...part.of.map(mostIn)) : 0;
  };
  return Math.max(
    0,
    ...[...rules].flatMap(([name, choice]) => {
      const { begins, nothing: none } = ofRule(name);
      return [begins + none, ...choice.map(mostIn)];
    }),
  );
}

/** The ways of two parts in sequence. */
function then(first: Ways, rest: Ways): Ways {
  return {
    begins: first.begins + times(first.nothing, rest.begins),
    nothing: times(first.nothing, rest.nothing),
  };
}

/** Unlike IEEE 754, 0 times infinity is 0 here. */
function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other;
}

/**
 * Expands repetitions as llama.cpp does: the required ones in sequence, then optional ones, each nested in the one
 * before it.
 */
function ofRepeated(once: Ways, least: number, most: number): Ways {
  if (most === Infinity && once.nothing > 0) return { begins: Infinity, nothing: Infinity };
  let ways = nothing;
  for (let more = 0; more < (most === Infinity ? 1 : most - least); more += 1) {
    const again = then(once, ways);
    ways = { begins: again.begins, nothing: again.nothing + 1 };
  }
  for (let again = 0; again < least; again += 1) ways = then(once, ways);
  return ways;
}

function sum(all: readonly Ways[]): Ways {
  return {
    begins: all.reduce((total, { begins }) => total + begins, 0),
    nothing: all.reduce((total, { nothing: none }) => total + none, 0),
  };
}
