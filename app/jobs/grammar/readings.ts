import { bounded, combined, type Count, type Counts, end, none } from "./counts.ts";
import { Followers, memo } from "./followers.ts";
import type {
  GrammarChoice,
  GrammarPart,
  GrammarRepeated,
  GrammarRules,
  GrammarSequence,
  GrammarText,
} from "./parts.ts";

/** Counts the readings of a grammar's parts by themselves. No rule may begin with itself. */
export class Readings {
  readonly #rules: GrammarRules;
  readonly #followers: Followers;
  readonly #ofChoices = new Map<GrammarChoice, Counts>();
  readonly #ofRepetitions = new Map<GrammarRepeated, Counts & { readonly rounds: number[] }>();
  readonly #ofSequences = new Map<GrammarSequence, readonly Counts[]>();

  constructor(rules: GrammarRules) {
    this.#rules = rules;
    this.#followers = new Followers(rules);
  }

  /** Whether a text can have more readings than its first character. */
  get multiply(): boolean {
    return this.#followers.areAmbiguous;
  }

  /** Whether the same text may leave the part at `index` of a sequence at several places. */
  isAmbiguousAfter(sequence: GrammarSequence, index: number): boolean {
    return this.#followers.isAmbiguousAfter(sequence, index);
  }

  /** Whether the same text may end a repetition's round at several places. */
  hasAmbiguousRounds(repeated: GrammarRepeated): boolean {
    return this.#followers.hasAmbiguousRounds(repeated);
  }

  canBeEmpty(part: GrammarPart): boolean {
    return this.#followers.canBeEmpty(part);
  }

  /** The counts of a sequence from one of its parts on. They hold each number of characters that was asked for. */
  suffix(sequence: GrammarSequence, from: number): Counts {
    return this.#suffixesOf(sequence)[from] ?? end;
  }

  /** The counts of any number of a repetition's rounds, as those of a suffix. */
  rounds(repeated: GrammarRepeated): Counts {
    const { rounds, alive } = this.#repetition(repeated);
    return { complete: rounds, alive };
  }

  /** The readings of a choice: those that end after so many characters, and those that go on. */
  ofChoice(choice: GrammarChoice, chars: number): Count {
    const counts = memo(this.#ofChoices, choice, () => ({ complete: [], alive: [] }));
    const known = at(counts, chars);
    if (known !== null) return known;
    const all = choice.map((sequence) => this.ofSequence(sequence, 0, chars));
    return set(
      counts,
      chars,
      chars > 0
        ? this.#followers.alternatives(choice).together((index) => all[index] ?? none)
        : { complete: sum(all.map(({ complete }) => complete)), alive: sum(all.map(({ alive }) => alive)) },
    );
  }

  /** The readings of a sequence from one of its parts on. */
  ofSequence(sequence: GrammarSequence, from: number, chars: number): Count {
    const [only] = sequence;
    if (sequence.length === 1 && only !== undefined && from === 0) return this.ofPart(only, chars);
    const suffixes = this.#suffixesOf(sequence);
    const known = at(suffixes[from] ?? end, chars);
    if (known !== null) return known;
    // Parts that may be empty let the next one begin at the same character.
    let last = from;
    for (
      let part = sequence[from];
      part !== undefined && this.#followers.canBeEmpty(part);
      part = sequence[last]
    ) {
      last += 1;
      if (chars in (suffixes[last] ?? end).complete) break;
    }
    for (let index = Math.min(last, sequence.length - 1); index >= from; index -= 1) {
      const part = sequence[index];
      const counts = suffixes[index];
      const rest = suffixes[index + 1];
      if (part === undefined || counts === undefined || rest === undefined || chars in counts.complete)
        continue;
      set(
        counts,
        chars,
        this.#ofPartAndRest(part, rest, chars, this.#followers.isAmbiguousAfter(sequence, index)),
      );
    }
    return at(suffixes[from] ?? end, chars) ?? none;
  }

  #suffixesOf(sequence: GrammarSequence): readonly Counts[] {
    return memo(this.#ofSequences, sequence, () => [
      ...sequence.map((): Counts => ({ complete: [], alive: [] })),
      end,
    ]);
  }

  #repetition(repeated: GrammarRepeated): Counts & { readonly rounds: number[] } {
    return memo(this.#ofRepetitions, repeated, () => ({ complete: [], alive: [], rounds: [] }));
  }

  #ofPartAndRest(part: GrammarPart, rest: Counts, chars: number, isAmbiguous: boolean): Count {
    const { complete, alive } = this.ofPart(part, chars);
    if (part.kind === "text") {
      const left = chars - lengthOf(part);
      return { complete: rest.complete[left] ?? 0, alive: alive + (rest.alive[left] ?? 0) };
    }
    const completed = (length: number): number =>
      length === chars ? complete : this.ofPart(part, length).complete;
    const ended = combined(chars, isAmbiguous, completed, (length) => rest.alive[length] ?? 0);
    return {
      complete: combined(chars, isAmbiguous, completed, (length) => rest.complete[length] ?? 0),
      // Without ambiguity, only a reading that ends with the text may also go on.
      alive: isAmbiguous ? alive + ended : Math.max(alive + complete * (rest.alive[0] ?? 0), ended),
    };
  }

  /** The readings of a part. */
  ofPart(part: GrammarPart, chars: number): Count {
    switch (part.kind) {
      case "text": {
        const length = lengthOf(part);
        return { complete: chars === length ? 1 : 0, alive: chars < length ? 1 : 0 };
      }
      case "rule":
        return this.ofChoice(this.#rules.get(part.name) ?? [], chars);
      case "choice":
        return this.ofChoice(part.of, chars);
      case "repeated": {
        const counts = this.#repetition(part);
        return at(counts, chars) ?? set(counts, chars, this.#ofRepeated(part, counts.rounds, chars));
      }
    }
  }

  /** `rounds`: the readings of any number of rounds, by their characters. */
  #ofRepeated(repeated: GrammarRepeated, rounds: number[], chars: number): Count {
    const { part, least, most } = repeated;
    if (most === 0) return { complete: chars === 0 ? 1 : 0, alive: 0 };
    const once = this.ofPart(part, chars);
    if (most === 1)
      return { complete: once.complete + (chars === 0 && least === 0 ? 1 : 0), alive: once.alive };
    const canBeEmpty = this.#followers.canBeEmpty(part);
    const isAmbiguous = this.#followers.hasAmbiguousRounds(repeated);
    const round = (length: number): Count => this.ofPart(part, length);
    if (canBeEmpty) rounds[chars] = roundsThatMayBeEmpty(most, (length) => round(length).complete, chars);
    else if (chars === 0) rounds[0] = 1;
    else
      rounds[chars] = combined(
        chars,
        isAmbiguous,
        (length) => (length === 0 ? 0 : round(length).complete),
        (length) => rounds[length] ?? 0,
      );
    return {
      complete: chars < least && !canBeEmpty ? 0 : (rounds[chars] ?? 0),
      alive: combined(
        chars,
        isAmbiguous,
        (length) => rounds[length] ?? 0,
        (length) => round(length).alive,
      ),
    };
  }
}

/**
 * The ways in which up to `most` rounds, each of which may be empty, read some characters: the sum of the powers of
 * `round` as a polynomial.
 */
function roundsThatMayBeEmpty(most: number, round: (length: number) => number, chars: number): number {
  const empty = round(0);
  // By the number of rounds that are not empty: in how many ways empty ones stand between them.
  let power: number[] = [1];
  const ways = Array<number>(chars + 1).fill(0);
  for (let rounds = 0; rounds <= most; rounds += 1) {
    for (const [filledRounds, count] of power.entries())
      ways[filledRounds] = bounded((ways[filledRounds] ?? 0) + count);
    power = Array.from({ length: Math.min(rounds + 1, chars) + 1 }, (_, at) =>
      bounded((power[at] ?? 0) * empty + (power[at - 1] ?? 0)),
    );
  }
  let total = 0;
  let texts: number[] = [1];
  for (let filledRounds = 0; filledRounds <= chars; filledRounds += 1) {
    total = bounded(total + (ways[filledRounds] ?? 0) * (texts[chars] ?? 0));
    const before = texts;
    texts = Array.from({ length: chars + 1 }, (_, length) =>
      combined(
        length,
        true,
        (each) => (each === 0 ? 0 : round(each)),
        (each) => before[each] ?? 0,
      ),
    );
  }
  return total;
}

function at({ complete, alive }: Counts, chars: number): Count | null {
  const ended = complete[chars];
  return ended === undefined ? null : { complete: ended, alive: alive[chars] ?? 0 };
}

function set(counts: Counts, chars: number, { complete, alive }: Count): Count {
  counts.complete[chars] = bounded(complete);
  counts.alive[chars] = bounded(alive);
  return { complete, alive };
}

/** In characters of a token. */
function lengthOf({ literal }: GrammarText): number {
  return literal?.length ?? 1;
}

function sum(all: readonly number[]): number {
  return all.reduce((total, each) => total + each, 0);
}
