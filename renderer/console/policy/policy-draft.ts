import { overrideRules } from "../../../app/policy/override-rules.ts";
import { readOrganizationRules } from "../../../app/policy/read-rules.ts";
import {
  type EffectiveRules,
  effectiveRules,
  noOrganizationRules,
  type OrganizationRules,
} from "../../../app/policy/rule-layers.ts";
import { defaultRules, type RuleName, ruleNames, type Rules } from "../../../app/policy/rules.ts";
import { ruleChanges } from "../../../app/policy/say-rule.ts";
import { problemOf } from "../../rules/rule-fields.ts";

/** Rules as they are edited: a value may be wrong while it is typed. */
export type Draft = {
  readonly values: Readonly<Partial<Record<RuleName, unknown>>>;
  readonly locked: readonly RuleName[];
};

/** Under a group's rules lie the organization's; under those, nothing. */
export type Under = OrganizationRules;

export type ShownRule = {
  /** What holds: as it was set here, else what lies under it, else the default. May be wrong while it is typed. */
  readonly value: unknown;
  readonly locked: boolean;
  /** Whether something is said of it here. */
  readonly isSet: boolean;
  /** What holds where nothing is said here. */
  readonly underneath: Rules[RuleName];
  /** Whether the organization says something of it, here or underneath. */
  readonly isWish: boolean;
};

export function shownRule(draft: Draft, under: Under, name: RuleName): ShownRule {
  const isSet = draft.values[name] !== undefined || draft.locked.includes(name);
  // null is a value, too: no limit.
  const underneath = under.values[name] === undefined ? defaultRules[name] : under.values[name];
  const own = draft.values[name];
  return {
    value: own === undefined ? (isSet ? defaultRules[name] : underneath) : own,
    locked: isSet ? draft.locked.includes(name) : under.locked.includes(name),
    isSet,
    underneath,
    isWish: isSet || under.values[name] !== undefined,
  };
}

/** What would hold on a device whose donor chose nothing: some locks bring another with them. */
export function inForce(draft: Draft, under: Under): EffectiveRules {
  const organization = readOrganizationRules(overrideRules<RuleName>(under, draft));
  return effectiveRules({ base: defaultRules, donor: noOrganizationRules.values, organization });
}

export function withValue(draft: Draft, name: RuleName, value: unknown, under: Under): Draft {
  // What lay under it may have been locked: that stays so until somebody says otherwise.
  const keepsLock = !isSaidOf(draft, name) && under.locked.includes(name);
  return {
    values: { ...draft.values, [name]: value },
    locked: keepsLock ? [...draft.locked, name] : draft.locked,
  };
}

/** A lock is one of a value: what holds is taken down with it, so that no other value comes to lie under the lock. */
export function withLock(draft: Draft, name: RuleName, locked: boolean, under: Under): Draft {
  const { value } = shownRule(draft, under, name);
  const others = draft.locked.filter((each) => each !== name);
  return { values: { ...draft.values, [name]: value }, locked: locked ? [...others, name] : others };
}

/** Says nothing of the rule any more. */
export function without(draft: Draft, name: RuleName): Draft {
  const { [name]: _gone, ...values } = draft.values;
  return { values, locked: draft.locked.filter((each) => each !== name) };
}

/** What is wrong, by rule. */
export function problemsOf(draft: Draft): ReadonlyMap<RuleName, string> {
  return new Map(
    ruleNames.flatMap((name) => {
      const value = draft.values[name];
      const problem = value === undefined ? null : problemOf(name, value);
      return problem === null ? [] : [[name, problem] as const];
    }),
  );
}

/** What would be different once the draft is saved, a sentence for each rule; what is wrong counts, too. */
export function changesOf(saved: OrganizationRules, draft: Draft): readonly string[] {
  return [...ruleChanges(saved, readOrganizationRules(draft)), ...problemsOf(draft).values()];
}

function isSaidOf(draft: Draft, name: RuleName): boolean {
  return draft.values[name] !== undefined || draft.locked.includes(name);
}
