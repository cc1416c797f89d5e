import { bounded, type Counts, end, mostChars } from "./counts.ts";
import { memo } from "./followers.ts";
import type { GrammarChoice, GrammarPart, GrammarRepeated, GrammarRules } from "./parts.ts";
import type { Readings } from "./readings.ts";

/**
 * Rules that may end one after another without a character are followed that far out of each other. Texts that are nested
 * deeper are rare.
 */
const mostNested = 32;

/** A part that contains others. Where it ends, the readings go on after it. */
type Node = GrammarChoice | GrammarRepeated;

/** The place after a part. */
type Place = {
  /** The part, if it contains others. */
  readonly after: Node | null;
  /** The part that this place is in. */
  readonly within: Node;
  /** The readings from here to the end of `within`. */
  readonly rest: Counts;
  readonly isLast: boolean;
  /** Whether `within` may end here. */
  readonly canEnd: boolean;
  /** Whether the same text may reach this place at several of its characters. */
  readonly isAmbiguous: boolean;
  readonly count: (chars: number) => void;
};

/** The most readings from a place on: if the text tells where the part around it ends, and if not. */
type Reach = { readonly clear: number; readonly ambiguous: number };

/** The most readings after a part, by the number of characters. */
type After = { readonly clear: number[]; readonly ambiguous: number[] };

/** Parts that may end where another one of them ends. */
type Group = {
  readonly nodes: ReadonlySet<Node>;
  /** Whether parts of it can be nested in each other, so that the same text may belong to any of them. */
  readonly isEndless: boolean;
};

/**
 * Counts the readings from each place of a grammar on. They go on beyond the end of the rule, after each call of it: of
 * several calls, the one with the most readings counts.
 */
export class Continuations {
  readonly #readings: Readings;
  readonly #root: GrammarChoice;
  readonly #places: Place[] = [];
  readonly #placesAfter = new Map<Node, Place[]>();
  readonly #seen = new Set<Node>();
  /** Each group comes after those with the parts that may end where its own ones end. */
  readonly #groups: readonly Group[];
  readonly #after = new Map<Node, After>();

  constructor(rules: GrammarRules, readings: Readings) {
    this.#readings = readings;
    this.#root = rules.get("root") ?? [];
    for (const choice of rules.values()) this.#addChoice(choice, rules);
    for (const node of this.#seen) this.#after.set(node, { clear: [], ambiguous: [] });
    this.#groups = groupsOf(this.#seen, (node) => this.#placesOf(node).filter(({ canEnd }) => canEnd));
  }

  /** The most readings of the same text from any place, by the text's characters. */
  *most(): Iterable<number> {
    for (let chars = 0; chars <= mostChars; chars += 1) {
      for (const place of this.#places) place.count(chars);
      for (const group of this.#groups) this.#countAfter(group, chars);
      const { complete, alive } = this.#readings.ofChoice(this.#root, chars);
      let most = bounded(complete + alive);
      for (const place of this.#places) {
        const { clear, ambiguous } = this.#from(place, chars);
        most = Math.max(most, clear, ambiguous);
      }
      yield most;
    }
  }

  #addChoice(choice: GrammarChoice, rules: GrammarRules): void {
    if (this.#seen.has(choice)) return;
    this.#seen.add(choice);
    for (const sequence of choice) {
      let canEnd = true;
      for (let index = sequence.length - 1; index >= 0; index -= 1) {
        const part = sequence[index];
        if (part === undefined) break;
        const rest = this.#readings.suffix(sequence, index + 1);
        this.#addPlace(part, rules, {
          within: choice,
          rest,
          isLast: rest === end,
          canEnd,
          isAmbiguous: this.#readings.isAmbiguousAfter(sequence, index),
          count: (chars) => void this.#readings.ofSequence(sequence, index + 1, chars),
        });
        canEnd &&= this.#readings.canBeEmpty(part);
      }
    }
  }

  #addPlace(part: GrammarPart, rules: GrammarRules, place: Omit<Place, "after">): void {
    const after = nodeOf(part, rules);
    const whole = { ...place, after };
    this.#places.push(whole);
    if (after !== null) memo(this.#placesAfter, after, () => []).push(whole);
    if (part.kind === "choice") this.#addChoice(part.of, rules);
    if (part.kind !== "repeated" || this.#seen.has(part)) return;
    this.#seen.add(part);
    const isLast = part.most <= 1;
    this.#addPlace(part.part, rules, {
      within: part,
      rest: isLast ? end : this.#readings.rounds(part),
      isLast,
      canEnd: true,
      isAmbiguous: this.#readings.hasAmbiguousRounds(part),
      count: (chars) => void this.#readings.ofPart(part, chars),
    });
  }

  #placesOf(node: Node): readonly Place[] {
    return this.#placesAfter.get(node) ?? [];
  }

  #countAfter({ nodes, isEndless }: Group, chars: number): void {
    let clear = chars === 0 && nodes.has(this.#root) ? 1 : 0;
    let ambiguous = 0;
    let nested = 0;
    for (const node of nodes) {
      for (const place of this.#placesOf(node)) {
        const from = this.#from(place, chars);
        const isInside = place.canEnd && nodes.has(place.within);
        if (isInside && isEndless) nested = Math.max(nested, from.clear, from.ambiguous);
        else if (isInside) continue;
        else if (place.isAmbiguous) ambiguous = Math.max(ambiguous, from.clear, from.ambiguous);
        else if (place.canEnd) {
          clear = Math.max(clear, from.clear);
          ambiguous = Math.max(ambiguous, from.ambiguous);
        } else clear = Math.max(clear, from.clear, from.ambiguous);
      }
    }
    if (isEndless) ambiguous = bounded(Math.max(clear, ambiguous) + mostNested * nested);
    for (const node of nodes) {
      const after = this.#after.get(node);
      after?.clear.push(clear);
      after?.ambiguous.push(ambiguous);
    }
  }

  /** The readings from a place on. Those after the part around it count as none while they are not known. */
  #from({ rest, within, isLast, canEnd }: Place, chars: number): Reach {
    const after = this.#after.get(within) ?? { clear: [], ambiguous: [] };
    if (isLast) return { clear: after.clear[chars] ?? 0, ambiguous: after.ambiguous[chars] ?? 0 };
    // llama.cpp knows the ways to read nothing as one.
    const completed = (length: number): number =>
      length === 0 ? (canEnd ? 1 : 0) : (rest.complete[length] ?? 0);
    const alive = rest.alive[chars] ?? 0;
    // Without ambiguity, a text that has ended before has no reading that goes on.
    let clear = alive + completed(chars) * (after.clear[0] ?? 0);
    let ambiguous = 0;
    for (let length = 0; length <= chars; length += 1) {
      const count = completed(length);
      if (count === 0) continue;
      clear = Math.max(clear, count * (after.clear[chars - length] ?? 0));
      ambiguous += count * (after.ambiguous[chars - length] ?? 0);
    }
    return { clear: bounded(clear), ambiguous: ambiguous === 0 ? 0 : bounded(alive + ambiguous) };
  }
}

function nodeOf(part: GrammarPart, rules: GrammarRules): Node | null {
  switch (part.kind) {
    case "text":
      return null;
    case "rule":
      return rules.get(part.name) ?? [];
    case "choice":
      return part.of;
    case "repeated":
      return part;
  }
}

/** The strongly connected components, each after those that it leads to. Source: Tarjan's algorithm. */
function groupsOf(
  all: Iterable<Node>,
  endsOf: (node: Node) => readonly { readonly within: Node; readonly isLast: boolean }[],
): readonly Group[] {
  const groups: Group[] = [];
  const numbers = new Map<Node, number>();
  const open: Node[] = [];
  const isOpen = new Set<Node>();
  const visit = (node: Node): number => {
    const number = numbers.size;
    numbers.set(node, number);
    open.push(node);
    isOpen.add(node);
    let lowest = number;
    for (const { within } of endsOf(node)) {
      const known = numbers.get(within);
      if (known === undefined) lowest = Math.min(lowest, visit(within));
      else if (isOpen.has(within)) lowest = Math.min(lowest, known);
    }
    if (lowest === number) {
      const nodes = new Set(open.splice(open.indexOf(node)));
      for (const each of nodes) isOpen.delete(each);
      groups.push({
        nodes,
        isEndless: [...nodes].some((each) =>
          endsOf(each).some(({ within, isLast }) => !isLast && nodes.has(within)),
        ),
      });
    }
    return lowest;
  };
  for (const node of all) if (!numbers.has(node)) visit(node);
  return groups;
}
