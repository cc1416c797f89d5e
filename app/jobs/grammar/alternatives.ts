import { charAt, type Chars, noChars, union } from "./chars.ts";
import type { Count } from "./counts.ts";
import type { GrammarSequence } from "./parts.ts";

/** Alternatives that begin with a literal of the same first character, so that their literals tell them apart. */
type LiteralGroup = {
  readonly first: Chars;
  /** In the order of their literals. `parent` is the index of the next shorter literal that this one begins with. */
  readonly members: readonly { readonly index: number; readonly parent: number }[];
};

/** Which alternatives of a choice can read the same text. */
export class Alternatives {
  /** Whether two alternatives can read the same text, apart from a literal that a longer one begins with. */
  readonly areTangled: boolean;
  /** The characters by which a longer literal goes on where a shorter one ends. */
  readonly afterShorter: Chars;
  readonly #groups: readonly LiteralGroup[];
  /** By their bounds: the alternatives, or literal groups below zero, whose first characters begin or end there. */
  readonly #bounds: readonly { readonly at: number; readonly sign: 1 | -1; readonly entry: number }[];

  /** @param firsts each alternative's first characters */
  constructor(choice: readonly GrammarSequence[], firsts: readonly Chars[]) {
    const byFirst = new Map<number, { index: number; literal: string }[]>();
    const others: number[] = [];
    for (const [index, [lead]] of choice.entries()) {
      if (lead?.kind === "text" && lead.literal !== null) {
        const code = lead.literal.codePointAt(0) ?? 0;
        const group = byFirst.get(code) ?? [];
        byFirst.set(code, group);
        group.push({ index, literal: lead.literal });
      } else others.push(index);
    }
    let areTangled = false;
    const after: Chars[] = [];
    const groups: LiteralGroup[] = [];
    for (const [code, group] of byFirst) {
      group.sort((a, b) => (a.literal < b.literal ? -1 : 1));
      const open: number[] = [];
      const members: LiteralGroup["members"][number][] = [];
      for (const [position, { index, literal }] of group.entries()) {
        while (open.length > 0 && !literal.startsWith(group[open.at(-1) ?? 0]?.literal ?? "")) open.pop();
        const parent = open.at(-1) ?? -1;
        const shorter = group[parent];
        if (shorter !== undefined) {
          const isSame = literal === shorter.literal;
          if (isSame || choice[shorter.index]?.length !== 1) areTangled = true;
          else after.push(charAt(literal.codePointAt(shorter.literal.length) ?? 0));
        }
        open.push(position);
        members.push({ index, parent });
      }
      groups.push({ first: charAt(code), members });
    }
    const entries = [
      ...others.map((index) => ({ entry: index, first: firsts[index] ?? noChars })),
      ...groups.map(({ first }, group) => ({ entry: -1 - group, first })),
    ];
    this.#bounds = entries
      .flatMap(({ entry, first }) =>
        first.map((at, position) => ({ at, sign: position % 2 === 0 ? (1 as const) : (-1 as const), entry })),
      )
      // A range ends before another one begins at the same character.
      .sort((a, b) => a.at - b.at || a.sign - b.sign);
    this.#groups = groups;
    this.areTangled = areTangled || this.#mostTogether(() => 1) > 1;
    this.afterShorter = union(...after);
  }

  /** The sums over those alternatives that can read the same text; the largest of each. `of` gives each one's counts. */
  together(of: (index: number) => Count): Count {
    const groups = this.#groups.map(({ members }) => {
      let alive = 0;
      let complete = 0;
      const chains: number[] = [];
      for (const { index, parent } of members) {
        const count = of(index);
        alive += count.alive;
        const chain = count.complete + (chains[parent] ?? 0);
        chains.push(chain);
        complete = Math.max(complete, chain);
      }
      return { complete, alive };
    });
    const countOf = (entry: number): Count =>
      entry < 0 ? (groups[-1 - entry] ?? { complete: 0, alive: 0 }) : of(entry);
    return {
      complete: this.#mostTogether((entry) => countOf(entry).complete),
      alive: this.#mostTogether((entry) => countOf(entry).alive),
    };
  }

  #mostTogether(of: (entry: number) => number): number {
    let most = 0;
    let sum = 0;
    for (const { sign, entry } of this.#bounds) {
      sum += sign * of(entry);
      most = Math.max(most, sum);
    }
    return most;
  }
}
