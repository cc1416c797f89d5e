import { formatRoundMebibytes } from "../../../app/format/quantity.ts";
import { limitWords } from "../../../app/policy/limits.ts";
import { type RuleName, ruleOf, type Rules } from "../../../app/policy/rules.ts";
import type { Option } from "../../ui/controls/Select.tsx";

/** Whether donors choose this rule's value from a list. */
export function hasChoices(name: RuleName): boolean {
  return ruleOf(name).field.kind === "number";
}

/** A rule's value as the rest of the panel says it: few people know threads and GiB, and nobody types a size here. */
export function settingWords<Name extends RuleName>(name: Name, value: Rules[Name]): string {
  const { field, say } = ruleOf(name);
  if (field.kind === "number" && field.unit === "MiB" && typeof value === "number")
    return formatRoundMebibytes(value);
  const { idle, inUse }: Partial<Rules> = { [name]: value };
  if (idle !== undefined) return limitWords(idle);
  return inUse?.mode === "limited" ? limitWords(inUse) : say(value);
}

/** The choices in words, in the order of size. A current value that is not among them is added. */
export function optionsFor<Name extends RuleName>(name: Name, value: Rules[Name]): readonly Option[] {
  const { field } = ruleOf(name);
  if (field.kind !== "number") return [];
  const current = value as number | null;
  const all = field.choices.includes(current) ? field.choices : [...field.choices, current].sort(bySize);
  return all.map((choice) => ({ value: String(choice), label: settingWords(name, choice as Rules[Name]) }));
}

/** The rule's value of an option. */
export function chosen(option: string): number | null {
  return option === "null" ? null : Number(option);
}

function bySize(one: number | null, other: number | null): number {
  return (one ?? Infinity) - (other ?? Infinity);
}
