import type { RuleName, Rules } from "../../../app/policy/rules.ts";
import { sayRule } from "../../../app/policy/say-rule.ts";
import type { Option } from "../../ui/Select.tsx";

const gibibytes = (...sizes: readonly number[]): readonly number[] => sizes.map((size) => size * 1_024);

/** What is offered of a rule that is a number; null, where a rule takes it, is no limit. */
const choices = {
  idleAfterSeconds: [30, 60, 120, 300, 600, 900, 1_800, 3_600],
  batteryFloorPercent: [20, 30, 40, 50, 60, 70, 80, 90],
  maxTemperatureC: [60, 65, 70, 75, 80, 85, 90, 95, null],
  maxOtherCpuLoad: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  otherCpuLoadHysteresis: [0.05, 0.1, 0.15, 0.2, 0.3],
  maxOtherGpuLoad: [0.1, 0.2, 0.3, 0.5, 0.7, 1],
  minFreeMemoryMb: [256, 512, ...gibibytes(1, 2, 4, 8)],
  downloadKbps: [1_000, 5_000, 20_000, 50_000, 100_000, null],
  networkBudgetMbPerDay: [512, ...gibibytes(1, 2, 5, 10, 50), null],
  diskQuotaMb: gibibytes(5, 10, 20, 50, 100, 200),
  minFreeDiskMb: gibibytes(1, 2, 5, 10, 20, 50),
  modelWarmSeconds: [0, 30, 60, 300, 900, 3_600],
} as const satisfies { readonly [Name in RuleName]?: readonly Rules[Name][] };

export type ChosenRule = keyof typeof choices;

export function isChosen(name: RuleName): name is ChosenRule {
  return Object.hasOwn(choices, name);
}

/** The choices in words; a value set elsewhere that is none of them is put in its place by size. */
export function optionsFor<Name extends ChosenRule>(name: Name, value: Rules[Name]): readonly Option[] {
  const offered: readonly (number | null)[] = choices[name];
  const all = offered.includes(value) ? offered : [...offered, value].sort(bySize);
  return all.map((choice) => ({ value: String(choice), label: sayRule(name, choice as Rules[Name]) }));
}

/** What an option's value stands for. */
export function chosen(option: string): number | null {
  return option === "null" ? null : Number(option);
}

function bySize(one: number | null, other: number | null): number {
  return (one ?? Infinity) - (other ?? Infinity);
}
