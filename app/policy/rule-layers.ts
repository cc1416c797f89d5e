import { defaultRules, type RuleName, ruleNames, type Rules } from "./rules.ts";

/** Who decided a rule. */
export type RuleLayer = "default" | "donor" | "organization";

export type OrganizationRules = {
  readonly values: SomeRules;
  /** Rules that its donors cannot change: one without a value stays at the default of the program. */
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

/** The rules that "donate now" stands for. */
const unlessAsked: readonly RuleName[] = [
  "requireIdle",
  "idleAfterSeconds",
  "idleWhenLocked",
  "inUse",
  "schedule",
  "holdOnFullScreen",
  "holdOnCall",
  "holdOnMedia",
  "maxOtherCpuLoad",
];

/**
 * Puts the three layers together, rule by rule. What the organization locked holds whatever the donor chose; else the
 * donor's choice goes before the organization's wish, and that before the default.
 *
 * "Donate now" undoes some rules for a while. Where one of them is locked it would undo the lock: then it is locked off,
 * unless the organization says of it what it wants.
 */
export function effectiveRules({ base, donor, organization }: RuleLayers): EffectiveRules {
  const { values, locked } = withDonateNow(organization);
  const locks = new Set(locked);
  const rules: Partial<Record<RuleName, unknown>> = {};
  const from: Partial<Record<RuleName, RuleLayer>> = {};
  for (const name of ruleNames) {
    const own = locks.has(name) ? undefined : donor[name];
    // Not `??`: null is a choice too, "always" or "no cap".
    if (own !== undefined) [rules[name], from[name]] = [own, "donor"];
    else if (values[name] !== undefined) [rules[name], from[name]] = [values[name], "organization"];
    // Not `base`: how the program was started is the donor's choice, too.
    else if (locks.has(name)) [rules[name], from[name]] = [defaultRules[name], "organization"];
    else [rules[name], from[name]] = [base[name], "default"];
  }
  return {
    rules: rules as Rules,
    from: from as EffectiveRules["from"],
    locked: ruleNames.filter((name) => locks.has(name)),
  };
}

function withDonateNow({ values, locked }: OrganizationRules): OrganizationRules {
  const said = values.allowDonateNow !== undefined || locked.includes("allowDonateNow");
  if (said || !unlessAsked.some((name) => locked.includes(name))) return { values, locked };
  return { values: { ...values, allowDonateNow: false }, locked: [...locked, "allowDonateNow"] };
}
