import { assertNever } from "../../assert-never.ts";
import { exceedsChoiceSteps } from "./choice-steps.ts";
import type { GrammarPart, GrammarRules, GrammarSequence, GrammarText } from "./parts.ts";

/** The work of llama.cpp for a grammar. */
export type GrammarCost = {
  /** The most stacks at one position, one for each way to continue. Infinity if a rule begins with itself. */
  readonly stacks: number;
  /** The grammar's elements after llama.cpp wrote out each repetition. */
  readonly elements: number;
  /** Rules and groups that begin within each other. Beyond 300, other counts are not exact. */
  readonly depth: number;
  /** The steps of this analysis. They grow with the number of parts, not with the repetitions. */
  readonly steps: number;
};

/**
 * Bounds of what llama.cpp does for one grammar: a few seconds for the slowest token, and a few megabytes. A job whose
 * tokens are slow ends (`SamplingWatch`). JSON has few readings, and tokens hold few values of it. So only schemas are
 * counted in which references nest choices, to keep out those that multiply in each other.
 */
export const costLimits = {
  stacks: 10_000,
  elements: 50_000,
  choiceSteps: { grammar: 3e9, schema: Infinity, schemaWithNestedChoices: 1e13 },
} as const;

/** Our own recursion is that deep. */
const maxDepth = 300;

/** The number of ways to reach a next character (`begins`), and the number of ways to produce no text (`nothing`). */
type Ways = { readonly begins: number; readonly nothing: number };

const nothing: Ways = { begins: 0, nothing: 1 };
const endless: Ways = { begins: Infinity, nothing: Infinity };

/**
 * Counts the work of a grammar. llama.cpp does it in native code that cannot be interrupted, so it is counted first.
 * Source: llama.cpp, src/llama-grammar.cpp, parse_sequence and llama_grammar_advance_stack.
 */
export function grammarCost(rules: GrammarRules): GrammarCost {
  return new Analysis(rules).cost();
}

/**
 * Returns why llama.cpp could not afford a grammar; null if it can.
 * @param spend takes the steps of the slow count before it begins, and returns false if they are too many
 */
export function costMistake(
  rules: GrammarRules,
  of: keyof typeof costLimits.choiceSteps,
  spend: (steps: number) => boolean = () => true,
): string | null {
  const { stacks, elements, depth, steps } = grammarCost(rules);
  if (depth > maxDepth) return "it is nested too deeply";
  if (stacks === Infinity) return "a rule begins with itself, or repeats something that may be empty";
  if (stacks > costLimits.stacks) return "it can continue in too many ways at one position";
  if (elements > costLimits.elements) return "its repetitions together are too long";
  const most = costLimits.choiceSteps[of];
  if (most === Infinity) return null;
  if (!spend(steps))
    return "too many of its alternatives, with those of the request's other schemas, begin alike. Let each object begin with a property that has a constant of its own";
  return exceedsChoiceSteps(rules, most)
    ? "the same text can be read in too many ways: let the next character decide how it continues"
    : null;
}

class Analysis {
  readonly #rules: GrammarRules;
  readonly #ofRules = new Map<string, Ways | "being counted">();
  readonly #ofParts = new Map<GrammarPart, Ways>();
  #elements = 0;
  #steps = 0;
  #depth = 0;
  #deepest = 0;

  constructor(rules: GrammarRules) {
    this.#rules = rules;
  }

  cost(): GrammarCost {
    // Every rule's ways come first: the second walk looks beyond the first character, where rules may refer to
    // themselves.
    for (const name of this.#rules.keys()) this.#ofRule(name);
    let stacks = 0;
    for (const [name, choice] of this.#rules) {
      const { begins, nothing: none } = this.#ofRule(name);
      stacks = Math.max(stacks, begins + none, this.#mostIn(choice));
    }
    return { stacks, elements: this.#elements, depth: this.#deepest, steps: this.#steps };
  }

  #ofRule(name: string): Ways {
    const known = this.#ofRules.get(name);
    if (known === "being counted") return endless;
    if (known !== undefined) return known;
    this.#ofRules.set(name, "being counted");
    const ways = this.#ofChoice(this.#rules.get(name) ?? []);
    this.#ofRules.set(name, ways);
    return ways;
  }

  #ofChoice(choice: readonly GrammarSequence[]): Ways {
    const all = choice.map((sequence) => this.#ofSequence(sequence));
    return {
      begins: all.reduce((total, { begins }) => total + begins, 0),
      nothing: all.reduce((total, { nothing: none }) => total + none, 0),
    };
  }

  /** Stops at the first character, because a rule may refer to itself after it. */
  #ofSequence(sequence: GrammarSequence): Ways {
    let ways = nothing;
    for (const part of sequence) {
      if (ways.nothing === 0) break;
      ways = then(ways, this.#ofPart(part));
    }
    return ways;
  }

  #ofPart(part: GrammarPart): Ways {
    this.#steps += 1;
    if (part.kind === "text") return { begins: 1, nothing: 0 };
    const known = this.#ofParts.get(part);
    if (known !== undefined) return known;
    this.#depth += 1;
    this.#deepest = Math.max(this.#deepest, this.#depth);
    const ways = this.#depth > maxDepth ? endless : this.#ofInner(part);
    this.#depth -= 1;
    this.#ofParts.set(part, ways);
    return ways;
  }

  #ofInner(part: Exclude<GrammarPart, GrammarText>): Ways {
    switch (part.kind) {
      case "rule":
        return this.#ofRule(part.name);
      case "choice":
        return this.#ofChoice(part.of);
      case "repeated":
        return ofRepeated(this.#ofPart(part.part), part.least, part.most);
    }
  }

  /** The most ways to continue from any position of a choice: llama.cpp may be at any of them. */
  #mostIn(choice: readonly GrammarSequence[]): number {
    let most = 0;
    for (const sequence of choice) {
      this.#elements += 1;
      let rest = nothing;
      for (const part of sequence.toReversed()) {
        rest = then(this.#ofPart(part), rest);
        most = Math.max(most, rest.begins + rest.nothing, this.#mostWithin(part, 1));
      }
    }
    return most;
  }

  #mostWithin(part: GrammarPart, copies: number): number {
    switch (part.kind) {
      case "repeated":
        return this.#mostWithin(part.part, copies * copiesOf(part));
      case "choice":
        this.#elements += copies;
        return this.#mostIn(part.of);
      case "text":
        this.#elements += copies * (part.elements + 1);
        return 0;
      case "rule":
        this.#elements += copies;
        return 0;
      default:
        return assertNever(part);
    }
  }
}

/** llama.cpp writes the symbol before a repetition out this often. A group is one symbol: its rule. */
function copiesOf({ least, most }: Extract<GrammarPart, { kind: "repeated" }>): number {
  return most === Infinity ? least + 1 : most;
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
 * The ways of llama.cpp's repetition: the required ones in sequence, then optional ones, each nested in the one
 * before it.
 */
function ofRepeated(once: Ways, least: number, most: number): Ways {
  if (most === Infinity && once.nothing > 0) return endless;
  const optional = most === Infinity ? 1 : most - least;
  const required = {
    begins: times(once.begins, powerSum(once.nothing, least)),
    nothing: once.nothing ** least,
  };
  return then(required, {
    begins: times(once.begins, powerSum(once.nothing, optional)),
    nothing: powerSum(once.nothing, optional + 1),
  });
}

/** 1 + n + n² + … of so many terms. */
function powerSum(n: number, terms: number): number {
  if (n <= 1 || terms <= 1) return n === 1 ? terms : Math.min(terms, 1);
  return n === Infinity ? Infinity : (n ** terms - 1) / (n - 1);
}
