import type { SensedFact } from "../facts/facts.ts";
import type { Rule, ValuesOf } from "./declare/rule.ts";
import { connection, membership, pause, sleep } from "./rules/availability.ts";
import { heat, heatRules } from "./rules/heat.ts";
import { idleness, idlenessRules, typing } from "./rules/idleness.ts";
import { leavingRules } from "./rules/leaving.ts";
import { limitNeeds, limitRules } from "./rules/limits.ts";
import { loadRules, memory, processorLoad } from "./rules/load.ts";
import { model, modelRules } from "./rules/models.ts";
import { metered, networkRules, requiredNetwork } from "./rules/network.ts";
import { lid, power, powerRules } from "./rules/power.ts";
import { call, fullScreen, media, presenceRules } from "./rules/presence.ts";
import { excludedPrograms, programRules } from "./rules/programs.ts";
import { schedule, scheduleRules } from "./rules/schedule.ts";
import { startRules } from "./rules/start.ts";
import { updateRules } from "./rules/updates.ts";

/*
 * The one list of rules and checks. To add a rule, declare it and its check in rules/, and name both here.
 * Its type, schema, editor, words and reasons derive from the declarations.
 */

/** Every rule, in the order in which people read them. */
export const rules = {
  ...idlenessRules,
  ...scheduleRules,
  ...startRules,
  ...limitRules,
  ...powerRules,
  ...heatRules,
  ...loadRules,
  ...programRules,
  ...presenceRules,
  ...networkRules,
  ...modelRules,
  ...updateRules,
  ...leavingRules,
};

/** Checks in their order: the first with a veto gives the reason that people read. */
export const checks = [
  membership,
  pause,
  sleep,
  connection,
  requiredNetwork,
  metered,
  power,
  lid,
  heat,
  excludedPrograms,
  memory,
  schedule,
  fullScreen,
  call,
  media,
  processorLoad,
] as const;

/** Checks that always count: "donate now" neither empties a battery nor heats a computer that is too hot. */
export const firmChecks = checks.filter(({ donateNowOverrides }) => donateNowOverrides === undefined);

/** Every check. evaluate.ts runs the last three one by one. */
export const allChecks = [...checks, idleness, model, typing] as const;

export type Rules = ValuesOf<typeof rules>;

export type RuleName = keyof Rules;

export const ruleNames = Object.keys(rules) as readonly RuleName[];

/** The rules that "donate now" overrides for a while. */
export const overridableRules: ReadonlySet<RuleName> = new Set(
  allChecks.flatMap(({ donateNowOverrides = [] }) => donateNowOverrides),
);

export const defaultRules = Object.fromEntries(
  ruleNames.map((name) => [name, rules[name].default]),
) as unknown as Rules;

/** The declaration of a rule, typed by its name. */
export function ruleOf<Name extends RuleName>(name: Name): Rule<Rules[Name]> {
  return rules[name] as unknown as Rule<Rules[Name]>;
}

/** The facts to sample under these rules. */
export function neededFacts(rules: Rules): ReadonlySet<SensedFact> {
  return new Set([...allChecks.flatMap(({ needs }) => needs(rules)), ...limitNeeds(rules)]);
}
