import { defaultRules, overridableRules, type RuleName, ruleNames, type Rules } from "./rules.ts";

/** The source of a rule's value. */
export type RuleLayer = "default" | "donor" | "organization" | "managed";

/** Some of the rules. A missing rule and an undefined one are the same, as zod parses a partial object. */
export type SomeRules = { readonly [Name in RuleName]?: Rules[Name] | undefined };

export type OrganizationRules = {
  readonly values: SomeRules;
  /** Rules that donors cannot change. A locked rule without a value stays at the default of the program. */
  readonly locked: readonly RuleName[];
};

type RuleLayers = {
  /** The defaults of this start of the program. */
  readonly base: Rules;
  readonly donor: SomeRules;
  readonly organization: OrganizationRules;
  /** The rules that the management of this computer sets. Each is locked. */
  readonly managed?: OrganizationRules;
};

export type EffectiveRules = {
  readonly rules: Rules;
  readonly from: { readonly [Name in RuleName]: RuleLayer };
  readonly locked: readonly RuleName[];
};

export const noOrganizationRules: OrganizationRules = { values: {}, locked: [] };

/**
 * Combines the layers, rule by rule. A managed rule goes before all others. The donor's choice goes before the organization's
 * suggestion, and that before the default. If the organization locked a rule, the donor's choice does not count.
 *
 * "Donate now" overrides some rules for a while. If one of them is locked, "donate now" would undo the lock. So it is
 * locked off too, unless the organization or the managed rules set or lock it.
 */
export function effectiveRules({
  base,
  donor,
  organization,
  managed = noOrganizationRules,
}: RuleLayers): EffectiveRules {
  const above = withDonateNow(managed);
  const { values, locked } = withDonateNow(overrideRules<RuleName>(organization, above) as OrganizationRules);
  const isManaged = new Set<RuleName>(above.locked);
  const locks = new Set(locked);
  const rules: Partial<Record<RuleName, unknown>> = {};
  const from: Partial<Record<RuleName, RuleLayer>> = {};
  for (const name of ruleNames) {
    const own = locks.has(name) ? undefined : donor[name];
    // Not `??`: null is a choice too, "always" or "no limit".
    const source = isManaged.has(name) ? "managed" : "organization";
    if (own !== undefined) [rules[name], from[name]] = [own, "donor"];
    else if (values[name] !== undefined) [rules[name], from[name]] = [values[name], source];
    // Not `base`: a person at the computer chose how the program was started.
    else if (locks.has(name)) [rules[name], from[name]] = [defaultRules[name], source];
    else [rules[name], from[name]] = [base[name], "default"];
  }
  return {
    rules: rules as Rules,
    from: from as EffectiveRules["from"],
    locked: ruleNames.filter((name) => locks.has(name)),
  };
}

function withDonateNow({ values, locked }: OrganizationRules): OrganizationRules {
  const decided = values.allowDonateNow !== undefined || locked.includes("allowDonateNow");
  if (decided || !locked.some((name) => overridableRules.has(name))) return { values, locked };
  return { values: { ...values, allowDonateNow: false }, locked: [...locked, "allowDonateNow"] };
}

type StoredRules<Name extends string> = {
  readonly values: Readonly<Partial<Record<Name, unknown>>>;
  readonly locked: readonly Name[];
};

/** A group's rules over its organization's. If a group sets or locks a rule, its value and its lock replace both. */
export function overrideRules<Name extends string>(
  under: StoredRules<Name>,
  over: StoredRules<Name>,
): { values: Partial<Record<Name, unknown>>; locked: Name[] } {
  const overridden = new Set<string>([...Object.keys(over.values), ...over.locked]);
  const kept = Object.entries(under.values).filter(([name]) => !overridden.has(name));
  return {
    values: { ...(Object.fromEntries(kept) as Partial<Record<Name, unknown>>), ...over.values },
    locked: [...under.locked.filter((name) => !overridden.has(name)), ...over.locked],
  };
}
