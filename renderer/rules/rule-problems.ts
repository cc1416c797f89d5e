import { locale } from "../../app/format/locale.ts";
import type { Unit } from "../../app/policy/declare/rule.ts";
import { someRules } from "../../app/policy/rule-schemas.ts";
import { type RuleName, ruleOf } from "../../app/policy/rules.ts";

/** Describes the problem with a rule's value in a sentence. Null if it is valid. */
export function problemOf(name: RuleName, value: unknown): string | null {
  if (someRules.shape[name].safeParse(value).success) return null;
  const { field } = ruleOf(name);
  switch (field.kind) {
    case "number": {
      const factor = factorOf(field.unit);
      const [from, to] = [field.min, field.max].map((bound) => (bound * factor).toLocaleString(locale));
      return factor === 1
        ? `Must be a whole number from ${from ?? ""} to ${to ?? ""}.`
        : `Must be a number from ${from ?? ""} to ${to ?? ""}.`;
    }
    case "names":
      return "Enter at most 100 names of at most 200 characters.";
    case "gpus":
      return "Enter numbers from 0 to 63, separated by commas.";
    case "schedule":
      return "Choose at least one day, a start and an end in each row.";
    case "idle":
    case "inUse":
      return "Enter 1 to 256 threads, and 0 to 16,777,216 MiB of memory.";
    case "switch":
      return "Must be on or off.";
  }
}

/** People read a share as percent; all other units are shown as they are stored. */
export function factorOf(unit: Unit | "threads"): number {
  return unit === "share" ? 100 : 1;
}
