import type { Chars } from "../grammar/chars.ts";
import type { Machine } from "./machines.ts";
import { Unenforceable, type Work } from "./work.ts";

/** A state of an automaton: whether a text may end there, and how it may go on. No character leads to two states. */
export type State = {
  readonly accepts: boolean;
  readonly moves: readonly { readonly chars: Chars; readonly to: number }[];
};

/** The first state is the beginning. From each state an end can be reached. */
export type Automaton = readonly State[];

/** Several machines read the same text. It has to be accepted by each that is wanted, and by none that is not. */
export type Condition = { readonly machine: Machine; readonly isWanted: boolean };

/** A state may become a rule of a grammar, and llama.cpp takes about a microsecond for each rule and token. */
export const mostStates = 600;
/** Before those are left out from which no end can be reached. */
const mostFound = 2_000;

/** The state of a machine that accepts no more. */
const ended = -1;

/**
 * The automaton of all texts of an alphabet that hold some conditions. Null if there is no such text. Throws Unenforceable if it has
 * more states than a grammar should have rules, or takes too much work.
 */
export function automatonOf(conditions: readonly Condition[], alphabet: Chars, work: Work): Automaton | null {
  const found = new Search(conditions, alphabet, work).states();
  return trimmed(found);
}

class Search {
  readonly #conditions: readonly Condition[];
  readonly #atoms: readonly (readonly [from: number, to: number])[];
  readonly #tuples: (readonly number[])[] = [];
  readonly #known = new Map<string, number>();
  readonly #work: Work;

  constructor(conditions: readonly Condition[], alphabet: Chars, work: Work) {
    this.#work = work;
    this.#conditions = conditions;
    this.#atoms = atomsOf(conditions, alphabet);
  }

  states(): Automaton {
    this.#numberOf(this.#conditions.map(({ machine }) => machine.start));
    const states: State[] = [];
    for (const tuple of this.#tuples) {
      this.#work.spend(this.#atoms.length * this.#conditions.length);
      states.push({ accepts: this.#accepts(tuple), moves: this.#movesFrom(tuple) });
    }
    return states;
  }

  #accepts(tuple: readonly number[]): boolean {
    return this.#conditions.every(({ machine, isWanted }, index) => {
      const state = tuple[index] ?? ended;
      return (state !== ended && machine.accepts(state)) === isWanted;
    });
  }

  #movesFrom(tuple: readonly number[]): State["moves"] {
    const ranges = new Map<number, number[]>();
    for (const [from, to] of this.#atoms) {
      const next = this.#step(tuple, from);
      if (next === null) continue;
      const number = this.#numberOf(next);
      const bounds = ranges.get(number) ?? [];
      ranges.set(number, bounds);
      // Atoms come in their order.
      if (bounds.at(-1) === from) bounds[bounds.length - 1] = to;
      else bounds.push(from, to);
    }
    return [...ranges].map(([to, chars]) => ({ chars, to }));
  }

  #step(tuple: readonly number[], code: number): readonly number[] | null {
    const next: number[] = [];
    for (const [index, { machine, isWanted }] of this.#conditions.entries()) {
      const state = tuple[index] ?? ended;
      const reached = state === ended ? null : machine.step(state, code);
      if (reached === null && isWanted) return null;
      next.push(reached ?? ended);
    }
    return next;
  }

  #numberOf(tuple: readonly number[]): number {
    const key = tuple.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#tuples.length >= mostFound) throw new Unenforceable();
    this.#known.set(key, this.#tuples.length);
    return this.#tuples.push(tuple) - 1;
  }
}

/** Ranges of the alphabet within which no condition tells characters apart. */
function atomsOf(conditions: readonly Condition[], alphabet: Chars): (readonly [number, number])[] {
  const cuts = [...new Set(conditions.flatMap(({ machine }) => machine.cuts))].sort(
    (one, other) => one - other,
  );
  const atoms: (readonly [number, number])[] = [];
  for (let at = 0; at < alphabet.length; at += 2) {
    const [begin = 0, end = 0] = alphabet.slice(at, at + 2);
    const bounds = [begin, ...cuts.filter((cut) => cut > begin && cut < end), end];
    for (const [index, from] of bounds.slice(0, -1).entries()) atoms.push([from, bounds[index + 1] ?? end]);
  }
  return atoms;
}

/** Without the states from which no end can be reached: a model that got there would never end. */
function trimmed(states: Automaton): Automaton | null {
  const before = states.map((): number[] => []);
  for (const [from, { moves }] of states.entries()) for (const { to } of moves) before[to]?.push(from);
  const kept = new Set<number>();
  const rest = [...states.keys()].filter((state) => states[state]?.accepts);
  for (let state = rest.pop(); state !== undefined; state = rest.pop()) {
    if (kept.has(state)) continue;
    kept.add(state);
    rest.push(...(before[state] ?? []));
  }
  if (!kept.has(0)) return null;
  if (kept.size > mostStates) throw new Unenforceable();
  const numbers = new Map(
    [...states.keys()].filter((state) => kept.has(state)).map((state, index) => [state, index]),
  );
  return [...numbers.keys()].map((state) => {
    const { accepts = false, moves = [] } = states[state] ?? {};
    return {
      accepts,
      moves: moves.flatMap(({ chars, to }) => {
        const number = numbers.get(to);
        return number === undefined ? [] : [{ chars, to: number }];
      }),
    };
  });
}
