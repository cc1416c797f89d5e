import type { Count } from "./alternatives.ts";
import { Followers, memo } from "./followers.ts";
import type {
  GrammarChoice,
  GrammarPart,
  GrammarRepeated,
  GrammarRules,
  GrammarSequence,
  GrammarText,
} from "./parts.ts";

/** Longer tokens are few. */
const mostChars = 16;
/** Larger counts are all the same, and sums of them stay exact. */
const countless = 1e9;

/** The counts for each number of characters: readings that end there, and readings that go on there. */
type Counts = { readonly complete: number[]; readonly alive: number[] };

const none: Count = { complete: 0, alive: 0 };
const end: Counts = {
  complete: [1, ...Array<number>(mostChars).fill(0)],
  alive: Array<number>(mostChars + 1).fill(0),
};

/**
 * Whether llama.cpp may take more than `limit` steps to choose one token. For each token of the vocabulary that does not
 * fit, it follows every reading of the token's characters, so a grammar that reads the same text in many ways takes
 * minutes. The count looks 16 characters ahead from each place of a rule, but not beyond the rule's end. So a grammar that
 * was made for it can take longer than counted. The runner's watch ends such a job. Source:
 * llama.cpp, src/llama-grammar.cpp, llama_grammar_reject_candidates.
 */
export function exceedsChoiceSteps(rules: GrammarRules, limit: number): boolean {
  const readings = new Readings(rules);
  if (!readings.multiply) return false;
  let steps = 0;
  let chars = 0;
  for (const most of readings.most()) {
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
  return new Readings(rules).most();
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

class Readings {
  readonly #rules: GrammarRules;
  readonly #followers: Followers;
  readonly #ofChoices = new Map<GrammarChoice, Counts>();
  readonly #ofRepetitions = new Map<GrammarRepeated, Counts & { readonly rounds: number[] }>();
  readonly #ofSequences = new Map<GrammarSequence, readonly Counts[]>();

  constructor(rules: GrammarRules) {
    this.#rules = usedRules(rules);
    this.#followers = new Followers(this.#rules);
  }

  /** Whether a text can have more readings than its first character. */
  get multiply(): boolean {
    return this.#followers.areAmbiguous;
  }

  *most(): Iterable<number> {
    for (let chars = 0; chars <= mostChars; chars += 1) {
      let most = 0;
      for (const choice of this.#rules.values()) most = Math.max(most, this.#mostIn(choice, chars));
      yield most;
    }
  }

  /** The most readings from any place in a choice. */
  #mostIn(choice: GrammarChoice, chars: number): number {
    const { complete, alive } = this.#ofChoice(choice, chars);
    let most = complete + alive;
    for (const sequence of choice) {
      for (let index = sequence.length - 1; index >= 0; index -= 1) {
        const from = this.#ofSequence(sequence, index, chars);
        most = Math.max(most, from.complete + from.alive);
        let part = sequence[index];
        while (part?.kind === "repeated") part = part.part;
        if (part?.kind === "choice") most = Math.max(most, this.#mostIn(part.of, chars));
      }
    }
    return most;
  }

  #ofChoice(choice: GrammarChoice, chars: number): Count {
    const counts = memo(this.#ofChoices, choice, () => ({ complete: [], alive: [] }));
    const known = at(counts, chars);
    if (known !== null) return known;
    const all = choice.map((sequence) => this.#ofSequence(sequence, 0, chars));
    return set(
      counts,
      chars,
      chars > 0
        ? this.#followers.alternatives(choice).together((index) => all[index] ?? none)
        : { complete: sum(all.map(({ complete }) => complete)), alive: sum(all.map(({ alive }) => alive)) },
    );
  }

  /** The readings of a sequence from one of its parts on. */
  #ofSequence(sequence: GrammarSequence, from: number, chars: number): Count {
    const [only] = sequence;
    if (sequence.length === 1 && only !== undefined && from === 0) return this.#ofPart(only, chars);
    const suffixes = memo(this.#ofSequences, sequence, () => [
      ...sequence.map((): Counts => ({ complete: [], alive: [] })),
      end,
    ]);
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

  #ofPartAndRest(part: GrammarPart, rest: Counts, chars: number, isAmbiguous: boolean): Count {
    const { complete, alive } = this.#ofPart(part, chars);
    if (part.kind === "text") {
      const left = chars - lengthOf(part);
      return { complete: rest.complete[left] ?? 0, alive: alive + (rest.alive[left] ?? 0) };
    }
    const completed = (length: number): number =>
      length === chars ? complete : this.#ofPart(part, length).complete;
    return {
      complete: combined(chars, isAmbiguous, completed, (length) => rest.complete[length] ?? 0),
      alive: alive + combined(chars, isAmbiguous, completed, (length) => rest.alive[length] ?? 0),
    };
  }

  #ofPart(part: GrammarPart, chars: number): Count {
    switch (part.kind) {
      case "text": {
        const length = lengthOf(part);
        return { complete: chars === length ? 1 : 0, alive: chars < length ? 1 : 0 };
      }
      case "rule":
        return this.#ofChoice(this.#rules.get(part.name) ?? [], chars);
      case "choice":
        return this.#ofChoice(part.of, chars);
      case "repeated": {
        const counts = memo(this.#ofRepetitions, part, () => ({ complete: [], alive: [], rounds: [] }));
        return at(counts, chars) ?? set(counts, chars, this.#ofRepeated(part, counts.rounds, chars));
      }
    }
  }

  /** `rounds`: the readings of any number of rounds, by their characters. */
  #ofRepeated(repeated: GrammarRepeated, rounds: number[], chars: number): Count {
    const { part, least, most } = repeated;
    if (most === 0) return { complete: chars === 0 ? 1 : 0, alive: 0 };
    const once = this.#ofPart(part, chars);
    if (most === 1)
      return { complete: once.complete + (chars === 0 && least === 0 ? 1 : 0), alive: once.alive };
    const canBeEmpty = this.#followers.canBeEmpty(part);
    const isAmbiguous = this.#followers.hasAmbiguousRounds(repeated);
    const round = (length: number): Count => this.#ofPart(part, length);
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

/** The readings of two parts in sequence, over all places between them, or only the best place if the text tells it. */
function combined(
  chars: number,
  isAmbiguous: boolean,
  first: (length: number) => number,
  rest: (length: number) => number,
): number {
  let total = 0;
  for (let length = 0; length <= chars; length += 1) {
    const after = rest(chars - length);
    if (after === 0) continue;
    const count = first(length) * after;
    total = isAmbiguous ? total + count : Math.max(total, count);
  }
  return bounded(total);
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

function bounded(count: number): number {
  return Math.min(count, countless);
}
