import type { OrganizationRules } from "./rule-layers.ts";
import { type RuleName, ruleNames, ruleOf, type Rules } from "./rules.ts";

/** A rule's value in words, e.g. "5 minutes" or "no limit". */
export function sayRule<Name extends RuleName>(name: Name, value: Rules[Name]): string {
  return ruleOf(name).say(value);
}

/** The changes of an organization's rules, one sentence for each. */
export function ruleChanges(before: OrganizationRules, after: OrganizationRules): string[] {
  return ruleNames.flatMap((name) => {
    const [was, is] = [saySetting(before, name), saySetting(after, name)];
    return was === is ? [] : [`${ruleOf(name).title}: ${was} → ${is}`];
  });
}

function saySetting({ values, locked }: OrganizationRules, name: RuleName): string {
  const value = values[name];
  const said = value === undefined ? "not set" : sayRule(name, value);
  return locked.includes(name) ? `${said}, locked` : said;
}

/**
 * The words about a rule in a donor's settings.
 * `value` applies until they choose another. `set` says whether the organization suggests it.
 */
export function donorSees<Name extends RuleName>(
  name: Name,
  { value, set, locked }: { readonly value: Rules[Name]; readonly set: boolean; readonly locked: boolean },
): string {
  const said = sayRule(name, value);
  if (locked) return `Set by your organization: ${said}.`;
  return set
    ? `Suggested by your organization: ${said}. You can change it.`
    : `Default: ${said}. You can change it.`;
}
