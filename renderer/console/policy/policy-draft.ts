import {
  type EffectiveRules,
  effectiveRules,
  noOrganizationRules,
  type OrganizationRules,
  overrideRules,
} from "../../../app/policy/rule-layers.ts";
import { readOrganizationRules } from "../../../app/policy/rule-schemas.ts";
import { defaultRules, type RuleName, ruleNames, type Rules } from "../../../app/policy/rules.ts";
import { ruleChanges } from "../../../app/policy/say-rule.ts";
import { problemOf } from "../../rules/rule-problems.ts";

/** Rules that are being edited. A value may be invalid while somebody types it. */
export type Draft = {
  readonly values: Readonly<Partial<Record<RuleName, unknown>>>;
  readonly locked: readonly RuleName[];
};

/** The rules that a draft overrides. A group inherits the organization's, and the organization none. */
export type Inherited = OrganizationRules;

export type ShownRule = {
  /** The effective value: set here, else inherited, else the default. May be invalid while somebody types it. */
  readonly value: unknown;
  readonly locked: boolean;
  /** Whether this layer sets the rule. */
  readonly isSet: boolean;
  /** The value that applies if this layer does not set it. */
  readonly inheritedValue: Rules[RuleName];
  /** Whether the organization sets it, in this layer or the one below. */
  readonly isSuggested: boolean;
};

export function shownRule(draft: Draft, inherited: Inherited, name: RuleName): ShownRule {
  const isSet = sets(draft, name);
  // Null is a value too: no limit.
  const inheritedValue = inherited.values[name] === undefined ? defaultRules[name] : inherited.values[name];
  const own = draft.values[name];
  return {
    value: own === undefined ? (isSet ? defaultRules[name] : inheritedValue) : own,
    locked: isSet ? draft.locked.includes(name) : inherited.locked.includes(name),
    isSet,
    inheritedValue,
    isSuggested: isSet || inherited.values[name] !== undefined,
  };
}

/** The rules on a device whose donor chose nothing. Some locks imply another rule's lock. */
export function rulesOnDevice(draft: Draft, inherited: Inherited): EffectiveRules {
  const organization = readOrganizationRules(overrideRules<RuleName>(inherited, draft));
  return effectiveRules({ base: defaultRules, donor: noOrganizationRules.values, organization });
}

export function withValue(draft: Draft, name: RuleName, value: unknown, inherited: Inherited): Draft {
  // Keeps a lock of the layer below until somebody changes it here.
  const keepsLock = !sets(draft, name) && inherited.locked.includes(name);
  return {
    values: { ...draft.values, [name]: value },
    locked: keepsLock ? [...draft.locked, name] : draft.locked,
  };
}

/** A lock fixes a value, so the effective value is set with it. Otherwise another value could end up locked. */
export function withLock(draft: Draft, name: RuleName, locked: boolean, inherited: Inherited): Draft {
  const { value } = shownRule(draft, inherited, name);
  const others = draft.locked.filter((each) => each !== name);
  return { values: { ...draft.values, [name]: value }, locked: locked ? [...others, name] : others };
}

/** Unsets the rule in this layer. */
export function without(draft: Draft, name: RuleName): Draft {
  const { [name]: _gone, ...values } = draft.values;
  return { values, locked: draft.locked.filter((each) => each !== name) };
}

/** The errors, by rule. */
export function problemsOf(draft: Draft): ReadonlyMap<RuleName, string> {
  return new Map(
    ruleNames.flatMap((name) => {
      const value = draft.values[name];
      const problem = value === undefined ? null : problemOf(name, value);
      return problem === null ? [] : [[name, problem] as const];
    }),
  );
}

/** Lists what saving would change, one sentence per rule. Invalid values count too. */
export function changesOf(saved: OrganizationRules, draft: Draft): readonly string[] {
  return [...ruleChanges(saved, readOrganizationRules(draft)), ...problemsOf(draft).values()];
}

function sets(draft: Draft, name: RuleName): boolean {
  return draft.values[name] !== undefined || draft.locked.includes(name);
}
