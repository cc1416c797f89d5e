import { charAt, type Chars, inverse, joined } from "../grammar/chars.ts";
import { type GrammarPart, type GrammarSequence, literalText, oneOf } from "../grammar/parts.ts";
import type { Automaton } from "./automaton.ts";

/** The characters of texts. JSON has no halves of surrogate pairs. */
export const textChars: Chars = [0, 0xd800, 0xe000, 0x11_0000];

/** Collects the rules of automata. */
export class RuleCollector {
  readonly rules = new Map<string, readonly GrammarSequence[]>();
  /** By their bounds. Equal sets share a rule. */
  readonly #sets = new Map<string, GrammarPart>();

  /** Adds the rules of an automaton for the contents of JSON texts, which are written within quotes, and escaped. */
  addText(name: string, automaton: Automaton): void {
    const quote = literalText('"', 2);
    this.#add(name, automaton, { begin: [quote], end: [quote], part: (chars) => this.#written(chars) });
  }

  /** Adds the rules of an automaton for texts that are JSON as they are, such as numbers. */
  addPlain(name: string, automaton: Automaton): void {
    this.#add(name, automaton, { begin: [], end: [], part: set });
  }

  #add(
    name: string,
    automaton: Automaton,
    {
      begin,
      end,
      part,
    }: {
      readonly begin: GrammarSequence;
      readonly end: GrammarSequence;
      readonly part: (chars: Chars) => GrammarPart;
    },
  ): void {
    const isInner = innerStates(automaton);
    /** The parts from a state on, up to the next one with a rule. */
    const from = (state: number): GrammarSequence => {
      const parts: GrammarPart[] = [];
      for (let at = state; ;) {
        const { moves = [] } = automaton[at] ?? {};
        const [only] = moves;
        if (only === undefined) return [...parts, ...end];
        if (!isInner(at)) return [...parts, { kind: "rule", name: nameOf(name, at) }];
        parts.push(part(only.chars));
        at = only.to;
      }
    };
    this.rules.set(name, [[...begin, ...from(0)]]);
    for (const [state, { accepts, moves }] of automaton.entries()) {
      if (moves.length === 0 || isInner(state)) continue;
      const ways = moves.map(({ chars, to }): GrammarSequence => [part(chars), ...from(to)]);
      this.rules.set(nameOf(name, state), accepts ? [...ways, end] : ways);
    }
  }

  /** One character of a set, as JSON writes it. */
  #written(chars: Chars): GrammarPart {
    const escapes = escapesOf(chars);
    if (escapes.length === 0) return set(chars);
    const key = chars.join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const part: GrammarPart = { kind: "rule", name: `chars-${String(this.#sets.size)}` };
    this.#sets.set(key, part);
    const unescaped = common(chars, plain);
    const escaped: GrammarSequence = [literalText("\\", 2), { kind: "choice", of: escapes }];
    this.rules.set(part.name, unescaped.length === 0 ? [escaped] : [[set(unescaped)], escaped]);
    return part;
  }
}

/** States that have no rule of their own, as only one way leads to them, and one on. */
function innerStates(automaton: Automaton): (state: number) => boolean {
  const ways = automaton.map(() => 0);
  ways[0] = 1;
  for (const { to } of automaton.flatMap(({ moves }) => moves)) ways[to] = (ways[to] ?? 0) + 1;
  return (state) =>
    ways[state] === 1 && automaton[state]?.accepts === false && automaton[state].moves.length === 1;
}

function nameOf(name: string, state: number): string {
  return `${name}-${String(state)}`;
}

/** A set, which llama.cpp keeps as two numbers for each range. */
function set(chars: Chars): GrammarPart {
  return oneOf(chars, chars.length);
}

const controls: Chars = [0, 0x20, 0x7f, 0x80];
const plain: Chars = inverse([...controls, ...charAt(0x22), ...charAt(0x5c)]);
/** The characters with an escape of two characters, and its second one. */
const short = [
  ["\b", "b"],
  ["\t", "t"],
  ["\n", "n"],
  ["\f", "f"],
  ["\r", "r"],
  ['"', '"'],
  ["\\", "\\"],
] as const;
const shortChars = joined(short.flatMap(([char]) => charAt(char.charCodeAt(0))));

/** The texts that follow a backslash and stand for these characters. */
function escapesOf(chars: Chars): readonly GrammarSequence[] {
  const signs = short
    .filter(([char]) => has(chars, char.charCodeAt(0)))
    .map(([, sign]) => charAt(sign.charCodeAt(0)));
  const digits = new Map<string, string[]>();
  const numbered = common(chars, common(controls, inverse(shortChars)));
  for (let at = 0; at < numbered.length; at += 2) {
    for (let code = numbered[at] ?? 0; code < (numbered[at + 1] ?? 0); code += 1) {
      const [first = "", second = ""] = code.toString(16).padStart(2, "0");
      digits.set(first, [...(digits.get(first) ?? []), second]);
    }
  }
  const byNumber = [...digits].map(([first, seconds]): GrammarSequence => [
    literalText(first),
    set(joined(seconds.flatMap((each) => charAt(each.charCodeAt(0))))),
  ]);
  return [
    ...(signs.length === 0 ? [] : [[set(joined(signs.flat()))]]),
    ...(byNumber.length === 0 ? [] : [[literalText("u00"), { kind: "choice", of: byNumber } as const]]),
  ];
}

function has(chars: Chars, code: number): boolean {
  return common(chars, charAt(code)).length > 0;
}

/** The characters of both sets. */
function common(one: Chars, other: Chars): Chars {
  return inverse([...inverse(one), ...inverse(other)]);
}
