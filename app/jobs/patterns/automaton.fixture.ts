import type { Automaton } from "./automaton.ts";

/** Whether an automaton accepts a text. */
export function accepts(automaton: Automaton, text: string): boolean {
  let state = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const next = automaton[state]?.moves.find(({ chars }) =>
      chars.some((from, at) => at % 2 === 0 && from <= code && code < (chars[at + 1] ?? 0)),
    );
    if (next === undefined) return false;
    state = next.to;
  }
  return automaton[state]?.accepts === true;
}

/** After so many characters a sample takes the shortest way to an end. */
const longEnough = 10;

/** A text that an automaton accepts. @param choose chooses a whole number from 0 to `below - 1`. */
export function sampleOf(automaton: Automaton, choose: (below: number) => number): string {
  const left = distancesOf(automaton);
  const distance = (state: number): number => left[state] ?? Infinity;
  let text = "";
  for (let state = 0, length = 0; ; length += 1) {
    const { accepts: mayEnd = true, moves = [] } = automaton[state] ?? {};
    const isLong = length >= longEnough;
    if (moves.length === 0 || (mayEnd && (isLong || choose(4) === 0))) return text;
    const ways = moves.filter(({ to }) => !isLong || distance(to) < distance(state));
    const { chars, to } = ways[choose(ways.length)] ?? { chars: [], to: 0 };
    const range = 2 * choose(chars.length / 2);
    const [from = 0, end = 0] = chars.slice(range, range + 2);
    text += String.fromCodePoint(from + choose(end - from));
    state = to;
  }
}

/** The fewest characters from each state to an end. */
function distancesOf(automaton: Automaton): readonly number[] {
  const left = automaton.map(({ accepts: mayEnd }) => (mayEnd ? 0 : Infinity));
  for (let isStable = false; !isStable;) {
    isStable = true;
    for (const [state, { moves }] of automaton.entries()) {
      const least = Math.min(left[state] ?? 0, ...moves.map(({ to }) => 1 + (left[to] ?? 0)));
      if (least === left[state]) continue;
      left[state] = least;
      isStable = false;
    }
  }
  return left;
}
