import { Alternatives } from "./alternatives.ts";
import { anyChar, type Chars, noChars, overlap, union } from "./chars.ts";
import type { GrammarChoice, GrammarPart, GrammarRepeated, GrammarRules, GrammarSequence } from "./parts.ts";

/** Rules that have not settled after these rounds count as ones after which any character may follow. */
const mostRounds = 10;

/** A sequence from one of its parts on. */
type Suffix = { readonly first: Chars; readonly isEmpty: boolean };

/**
 * The characters that tell readings of a grammar apart. A place is ambiguous if a part may go on with a character with
 * which the part after it may begin: then the same text may leave the first part at several places.
 */
export class Followers {
  readonly #rules: GrammarRules;
  readonly #canBeEmpty = new Map<string, boolean>();
  readonly #firsts = new Map<string, Chars>();
  readonly #chars = new Map<string, Chars>();
  readonly #suffixes = new Map<GrammarSequence, readonly Suffix[]>();
  readonly #alternatives = new Map<GrammarChoice, Alternatives>();
  /** The characters with which a rule's text may go on although it could end. */
  #goesOn = new Map<string, Chars>();
  readonly #ambiguous = new Map<GrammarSequence | GrammarPart, Set<number>>();

  constructor(rules: GrammarRules) {
    this.#rules = rules;
    this.#untilStable(this.#chars, (choice) => this.#charsOfChoice(choice));
    this.#untilStable(this.#goesOn, (choice) => this.#goesOnAfterChoice(choice));
  }

  canBeEmpty(part: GrammarPart): boolean {
    switch (part.kind) {
      case "text":
        return false;
      case "rule":
        return memo(this.#canBeEmpty, part.name, () =>
          this.choiceCanBeEmpty(this.#rules.get(part.name) ?? []),
        );
      case "choice":
        return this.choiceCanBeEmpty(part.of);
      case "repeated":
        return part.least === 0 || this.canBeEmpty(part.part);
    }
  }

  choiceCanBeEmpty(choice: GrammarChoice): boolean {
    return choice.some((sequence) => sequence.every((part) => this.canBeEmpty(part)));
  }

  alternatives(choice: GrammarChoice): Alternatives {
    return memo(this.#alternatives, choice, () => {
      return new Alternatives(
        choice,
        choice.map((sequence) => this.#firstOfSequence(sequence)),
      );
    });
  }

  /** Whether any text may have several readings beyond its next character. */
  get areAmbiguous(): boolean {
    return this.#ambiguous.size > 0 || [...this.#alternatives.values()].some(({ areTangled }) => areTangled);
  }

  /** Whether the same text may leave the part at `index` of a sequence at several places. */
  isAmbiguousAfter(sequence: GrammarSequence, index: number): boolean {
    return this.#ambiguous.get(sequence)?.has(index) === true;
  }

  /** Whether the same text may end a repetition's round at several places. */
  hasAmbiguousRounds(part: GrammarPart): boolean {
    return this.#ambiguous.get(part)?.has(0) === true;
  }

  #untilStable(sets: Map<string, Chars>, of: (choice: GrammarChoice) => Chars): void {
    // Rules mostly refer to later ones, or mostly to earlier ones. So every other round goes backwards.
    const rules = [...this.#rules];
    for (let round = 0; ; round += 1) {
      let isStable = true;
      rules.reverse();
      for (const [name, choice] of rules) {
        const before = sets.get(name) ?? noChars;
        // `of` also finds the ambiguous places, so it is called even if its result is not used.
        const exact = of(choice);
        const now = round < mostRounds ? exact : anyChar;
        if (before.length === now.length && before.every((bound, at) => bound === now[at])) continue;
        isStable = false;
        sets.set(name, now);
      }
      if (isStable) return;
    }
  }

  #first(part: GrammarPart): Chars {
    switch (part.kind) {
      case "text":
        return part.first;
      case "rule":
        return memo(this.#firsts, part.name, () => this.#firstOfChoice(this.#rules.get(part.name) ?? []));
      case "choice":
        return this.#firstOfChoice(part.of);
      case "repeated":
        return part.most === 0 ? noChars : this.#first(part.part);
    }
  }

  #firstOfChoice(choice: GrammarChoice): Chars {
    return union(...choice.map((sequence) => this.#firstOfSequence(sequence)));
  }

  #firstOfSequence(sequence: GrammarSequence): Chars {
    const end = sequence.findIndex((part) => !this.canBeEmpty(part));
    return union(...sequence.slice(0, end < 0 ? undefined : end + 1).map((part) => this.#first(part)));
  }

  #charsOf(part: GrammarPart): Chars {
    switch (part.kind) {
      case "text":
        return part.chars;
      case "rule":
        return this.#chars.get(part.name) ?? noChars;
      case "choice":
        return this.#charsOfChoice(part.of);
      case "repeated":
        return this.#charsOf(part.part);
    }
  }

  #charsOfChoice(choice: GrammarChoice): Chars {
    return union(...choice.flatMap((sequence) => sequence.map((part) => this.#charsOf(part))));
  }

  /** From each index on, and at last from the end on. */
  #suffixesOf(sequence: GrammarSequence): readonly Suffix[] {
    return memo(this.#suffixes, sequence, () => {
      const suffixes: Suffix[] = [{ first: noChars, isEmpty: true }];
      for (const part of sequence.toReversed()) {
        const rest = suffixes.at(-1) ?? { first: noChars, isEmpty: true };
        const isEmpty = this.canBeEmpty(part);
        const first = isEmpty ? union(this.#first(part), rest.first) : this.#first(part);
        suffixes.push({ first, isEmpty: isEmpty && rest.isEmpty });
      }
      return suffixes.reverse();
    });
  }

  #goesOnAfter(part: GrammarPart): Chars {
    switch (part.kind) {
      case "text":
        return noChars;
      case "rule":
        return this.#goesOn.get(part.name) ?? noChars;
      case "choice":
        return this.#goesOnAfterChoice(part.of);
      case "repeated":
        return this.#goesOnAfterRepeated(part);
    }
  }

  #goesOnAfterChoice(choice: GrammarChoice): Chars {
    const { areTangled, afterShorter } = this.alternatives(choice);
    return union(
      ...choice.map((sequence) => this.#goesOnAfterSequence(sequence)),
      this.choiceCanBeEmpty(choice) ? this.#firstOfChoice(choice) : noChars,
      areTangled ? this.#charsOfChoice(choice) : afterShorter,
    );
  }

  #goesOnAfterRepeated(part: GrammarRepeated): Chars {
    if (part.most === 0) return noChars;
    const inside = this.#goesOnAfter(part.part);
    const first = this.#first(part.part);
    const isAmbiguous = part.most > 1 && overlap(inside, first);
    if (isAmbiguous) memo(this.#ambiguous, part, () => new Set()).add(0);
    return union(
      inside,
      part.least < part.most || this.canBeEmpty(part.part) ? first : noChars,
      isAmbiguous ? this.#charsOf(part.part) : noChars,
    );
  }

  #goesOnAfterSequence(sequence: GrammarSequence): Chars {
    const suffixes = this.#suffixesOf(sequence);
    let after: Chars = noChars;
    let chars: Chars = noChars;
    for (let index = sequence.length - 1; index >= 0; index -= 1) {
      const part = sequence[index];
      const rest = suffixes[index + 1];
      if (part === undefined || rest === undefined) break;
      const inside = this.#goesOnAfter(part);
      const isAmbiguous = overlap(inside, rest.first);
      chars = union(chars, this.#charsOf(part));
      if (isAmbiguous) memo(this.#ambiguous, sequence, () => new Set()).add(index);
      after = union(after, rest.isEmpty ? inside : noChars, isAmbiguous ? chars : noChars);
    }
    return after;
  }
}

/** Returns the map's value for a key, and stores it first if it has none. */
export function memo<Key, Value>(map: Map<Key, Value>, key: Key, value: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = value();
  map.set(key, made);
  return made;
}
