import type { Chars } from "../grammar/chars.ts";
import type { Pattern } from "./syntax.ts";
import { Unenforceable, type Work } from "./work.ts";

/** Reads a text, one code point after the other. Its states are numbers from 0. */
export type Machine = {
  /** A step with a code point is like the one with the code point before, unless it is one of these. */
  readonly cuts: readonly number[];
  readonly start: number;
  /** Null: no text that goes on so is accepted. */
  readonly step: (state: number, code: number) => number | null;
  /** Whether the text may end here. */
  readonly accepts: (state: number) => boolean;
};

/** Nodes of a pattern, with all its repetitions. */
const mostNodes = 4_000;

type Node =
  | { readonly kind: "chars"; readonly chars: Chars; readonly next: number }
  | { readonly kind: "start" | "end"; readonly next: number }
  | { readonly kind: "either"; readonly next: number[] }
  /** The pattern matches, whatever follows. */
  | { readonly kind: "matched" };

/**
 * A machine that accepts the texts in which a pattern matches anywhere, as `RegExp.test` does. A state is a set of the nodes
 * at which the pattern may be.
 */
export class PatternMachine implements Machine {
  readonly cuts: readonly number[];
  readonly start = 0;
  readonly #nodes: Node[] = [];
  readonly #begin: number;
  readonly #states: (readonly number[])[] = [];
  readonly #known = new Map<string, number>();
  /** By the nodes to which a character led. Many characters lead to the same ones. */
  readonly #after = new Map<string, number | null>();
  readonly #steps: Map<number, number | null>[] = [];
  readonly #ends: boolean[] = [];
  readonly #work: Work;

  /** Throws Unenforceable, as all steps may do later. */
  constructor(pattern: Pattern, work: Work) {
    this.#work = work;
    this.#begin = this.#add(pattern, this.#push({ kind: "matched" }));
    // All repetitions of a part have the same set.
    const sets = new Set(this.#nodes.flatMap((node) => (node.kind === "chars" ? [node.chars] : [])));
    this.cuts = [...new Set([...sets].flat())];
    work.spend(this.cuts.length);
    // The first state is never joined with another one: only there a text may begin.
    this.#store(this.#reach([this.#begin], { atStart: true, atEnd: false }));
  }

  step(state: number, code: number): number | null {
    const known = this.#steps[state]?.get(code);
    if (known !== undefined) return known;
    const from = this.#states[state] ?? [];
    this.#work.spend(from.length);
    const next: number[] = [];
    for (const at of from) {
      const node = this.#nodes[at];
      if (node?.kind === "matched") next.push(at);
      else if (node?.kind === "chars" && has(node.chars, code)) next.push(node.next);
    }
    const key = next.join();
    let found = this.#after.get(key);
    if (found === undefined) this.#after.set(key, (found = this.#stateAfter(next)));
    this.#steps[state]?.set(code, found);
    return found;
  }

  /** The state after a character that led to some nodes. */
  #stateAfter(nodes: readonly number[]): number | null {
    // The pattern may also begin after this character.
    const reached = this.#reach([...nodes, this.#begin], { atStart: false, atEnd: false });
    const key = reached.join();
    return reached.length === 0 ? null : (this.#known.get(key) ?? this.#store(reached, key));
  }

  accepts(state: number): boolean {
    return (this.#ends[state] ??= this.#mayEnd(state));
  }

  #mayEnd(state: number): boolean {
    const reached = this.#reach(this.#states[state] ?? [], { atStart: state === this.start, atEnd: true });
    return reached.some((at) => this.#nodes[at]?.kind === "matched");
  }

  #store(state: readonly number[], key?: string): number {
    const number = this.#states.push(state) - 1;
    this.#steps.push(new Map());
    if (key !== undefined) this.#known.set(key, number);
    return number;
  }

  /** The nodes at which something is read, or the text has to end, that can be reached from others. */
  #reach(
    from: readonly number[],
    { atStart, atEnd }: { readonly atStart: boolean; readonly atEnd: boolean },
  ): readonly number[] {
    const seen = new Set<number>();
    const reached: number[] = [];
    const rest = [...from];
    for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      this.#work.spend(1);
      const node = this.#nodes[at];
      if (node === undefined) continue;
      if (node.kind === "matched") return [at];
      if (node.kind === "either") rest.push(...node.next);
      else if (node.kind === "start" ? atStart : node.kind === "end" && atEnd) rest.push(node.next);
      else if (node.kind !== "start") reached.push(at);
    }
    return reached.sort((one, other) => one - other);
  }

  #push(node: Node): number {
    if (this.#nodes.length >= mostNodes) throw new Unenforceable();
    this.#work.spend(1);
    return this.#nodes.push(node) - 1;
  }

  /** Adds a pattern before a node. Returns its first node. */
  #add(pattern: Pattern, next: number): number {
    switch (pattern.kind) {
      case "chars":
        return this.#push({ kind: "chars", chars: pattern.chars, next });
      case "start":
      case "end":
        return this.#push({ kind: pattern.kind, next });
      case "sequence":
        return pattern.parts.reduceRight((after, part) => this.#add(part, after), next);
      case "choice":
        return this.#push({ kind: "either", next: pattern.of.map((each) => this.#add(each, next)) });
      case "repeated":
        return this.#addRepeated(pattern, next);
    }
  }

  #addRepeated({ part, least, most }: Extract<Pattern, { kind: "repeated" }>, next: number): number {
    let first = next;
    if (most === Infinity) {
      const either: number[] = [next];
      first = this.#push({ kind: "either", next: either });
      either.push(this.#add(part, first));
    } else {
      for (let count = least; count < most; count += 1)
        first = this.#push({ kind: "either", next: [next, this.#add(part, first)] });
    }
    for (let count = 0; count < least; count += 1) first = this.#add(part, first);
    return first;
  }
}

function has(chars: Chars, code: number): boolean {
  let [low, high] = [0, chars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chars[middle] ?? 0) <= code) low = middle + 1;
    else high = middle;
  }
  // A range has begun, and has not ended.
  return low % 2 === 1;
}

/** Accepts texts of `least` to `most` code points. */
export function lengthMachine(least: number, most: number): Machine {
  return {
    cuts: [],
    start: 0,
    step: (length) => (length < most ? (most === Infinity ? Math.min(length + 1, least) : length + 1) : null),
    accepts: (length) => length >= least,
  };
}

const [dot, zero, nine] = [0x2e, 0x30, 0x39];

/** Accepts decimal numbers without an exponent that are multiples of `step` times 10 to the power of minus `decimals`. */
export function multiplesMachine(step: number, decimals: number): Machine {
  // A state is a remainder, and the number of decimals so far, plus 1; 0 before the decimal point.
  const stateOf = (remainder: number, place: number): number => remainder + step * place;
  return {
    cuts: [dot, dot + 1, zero, ...Array.from({ length: 10 }, (_, digit) => zero + 1 + digit)],
    start: 0,
    step: (state, code) => {
      const [remainder, place] = [state % step, Math.floor(state / step)];
      if (code === dot) return place === 0 && decimals > 0 ? stateOf(remainder, 1) : null;
      if (code < zero || code > nine) return place === 0 && state === 0 ? 0 : null;
      if (place > decimals) return null;
      return stateOf((10 * remainder + code - zero) % step, place === 0 ? 0 : place + 1);
    },
    accepts: (state) => {
      const [remainder, place] = [state % step, Math.floor(state / step)];
      const left = decimals - Math.max(0, place - 1);
      let rest = remainder;
      for (let digit = 0; digit < left; digit += 1) rest = (10 * rest) % step;
      return place !== 1 && rest === 0;
    },
  };
}
