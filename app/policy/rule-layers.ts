import { type RuleName, ruleNames, type Rules } from "./rules.ts";

/** Who decided a rule. */
export type RuleLayer = "default" | "donor" | "organization";

export type OrganizationRules = {
  readonly values: SomeRules;
  /** Rules that its donors cannot change: one without a value stays at the default. */
  readonly locked: readonly RuleName[];
};

export type RuleLayers = {
  readonly base: Rules;
  readonly donor: SomeRules;
  readonly organization: OrganizationRules;
};

export type EffectiveRules = {
  readonly rules: Rules;
  readonly from: { readonly [Name in RuleName]: RuleLayer };
  readonly locked: readonly RuleName[];
};

/** As zod parses a partial object: a rule that is absent and one that is undefined are the same. */
export type SomeRules = { readonly [Name in RuleName]?: Rules[Name] | undefined };

export const noOrganizationRules: OrganizationRules = { values: {}, locked: [] };

/**
 * Puts the three layers together, rule by rule. What the organization locked holds whatever the donor chose; else the
 * donor's choice goes before the organization's wish, and that before the default.
 */
export function effectiveRules({ base, donor, organization }: RuleLayers): EffectiveRules {
  const rules: Partial<Record<RuleName, unknown>> = {};
  const from: Partial<Record<RuleName, RuleLayer>> = {};
  for (const name of ruleNames) {
    const locked = organization.locked.includes(name);
    const theirs = organization.values[name];
    const own = locked ? undefined : donor[name];
    // null is a choice too: "always", "no cap".
    if (own !== undefined) [rules[name], from[name]] = [own, "donor"];
    else if (theirs !== undefined) [rules[name], from[name]] = [theirs, "organization"];
    else [rules[name], from[name]] = [base[name], locked ? "organization" : "default"];
  }
  return {
    rules: rules as Rules,
    from: from as EffectiveRules["from"],
    locked: ruleNames.filter((name) => organization.locked.includes(name)),
  };
}
