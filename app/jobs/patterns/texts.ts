import { type Automaton, automatonOf, type Condition } from "./automaton.ts";
import { lengthMachine, PatternMachine } from "./machines.ts";
import { textChars } from "./rules.ts";
import { parsePattern } from "./syntax.ts";
import { Unenforceable, Work } from "./work.ts";

/** The conditions of a text: regular expressions that match as in `RegExp.test`, and its length in code points. */
export type TextForm = {
  readonly patterns: readonly { readonly source: string; readonly ignoresCase: boolean }[];
  readonly least: number;
  readonly most: number;
};

/** The automaton of the texts of a form. Null if there is no such text. Throws Unenforceable. */
export function textAutomaton({ patterns, least, most }: TextForm, work = new Work()): Automaton | null {
  const conditions: Condition[] = [];
  for (const { source, ignoresCase } of patterns) {
    work.spend(source.length);
    const parsed = parsePattern(source, ignoresCase);
    if (parsed === null) throw new Unenforceable();
    for (const { pattern, isWanted } of [{ pattern: parsed.pattern, isWanted: true }, ...parsed.ahead])
      conditions.push({ machine: new PatternMachine(pattern, work), isWanted });
  }
  if (least > 0 || most < Infinity) conditions.push({ machine: lengthMachine(least, most), isWanted: true });
  return automatonOf(conditions, textChars, work);
}
