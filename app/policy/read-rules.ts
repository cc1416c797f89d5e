import type { OrganizationRules, SomeRules } from "./rule-layers.ts";
import { someRules } from "./rule-schemas.ts";
import { type RuleName, ruleNames } from "./rules.ts";

/**
 * An organization's rules as they were stored or sent, perhaps by another version of this program: a rule that is not
 * known here, or whose value is out of bounds here, is left out. A lock holds without its value too, at the default.
 */
export function readOrganizationRules(stored: {
  readonly values: Readonly<Record<string, unknown>>;
  readonly locked: readonly string[];
}): OrganizationRules {
  return {
    values: readRules(stored.values),
    locked: ruleNames.filter((name) => stored.locked.includes(name)),
  };
}

/** Rules as they were stored: one that is not known here, or whose value is out of bounds here, is left out. */
export function readRules(stored: Readonly<Record<string, unknown>>): SomeRules {
  const values: Partial<Record<RuleName, unknown>> = {};
  for (const name of ruleNames) {
    const parsed = someRules.shape[name].safeParse(stored[name]);
    if (parsed.success && parsed.data !== undefined) values[name] = parsed.data;
  }
  return values as SomeRules;
}
