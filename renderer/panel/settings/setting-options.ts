import { type RuleName, ruleOf, type Rules } from "../../../app/policy/rules.ts";
import type { Option } from "../../ui/controls/Select.tsx";

/** Whether donors choose this rule's value from a list. */
export function hasChoices(name: RuleName): boolean {
  return ruleOf(name).field.kind === "number";
}

/** The choices in words, in the order of size. A current value that is not among them is added. */
export function optionsFor<Name extends RuleName>(name: Name, value: Rules[Name]): readonly Option[] {
  const { field, say } = ruleOf(name);
  if (field.kind !== "number") return [];
  const current = value as number | null;
  const all = field.choices.includes(current) ? field.choices : [...field.choices, current].sort(bySize);
  return all.map((choice) => ({ value: String(choice), label: say(choice as Rules[Name]) }));
}

/** The rule's value of an option. */
export function chosen(option: string): number | null {
  return option === "null" ? null : Number(option);
}

function bySize(one: number | null, other: number | null): number {
  return (one ?? Infinity) - (other ?? Infinity);
}
