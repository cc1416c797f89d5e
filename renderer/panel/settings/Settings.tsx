import type { ReactNode } from "react";
import { type RuleSection, ruleSections } from "../../../app/policy/declare/rule.ts";
import { type RuleName, ruleNames, ruleOf } from "../../../app/policy/rules.ts";
import { RuleSetting, type RulesShown } from "./RuleSetting.tsx";

type Props = RulesShown & {
  /** The sections that are open at first. Defaults to the first one. */
  readonly open?: readonly RuleSection[];
  /** The rule that gets the focus. Its section is open. */
  readonly focused?: RuleName | null;
};

/** All rules, grouped by topic. Each change takes effect at once, without saving. */
export function Settings({ open = ["when"], focused = null, ...shown }: Props): ReactNode {
  return (
    <div className="grid gap-2">
      {sections
        .filter((section) => namesOf(section, shown).length > 0)
        .map((section) => (
          <details
            key={section}
            open={open.includes(section) || (focused !== null && ruleOf(focused).section === section)}
            className="group overflow-hidden rounded-lg border border-line bg-surface"
          >
            <summary className="flex h-11 cursor-pointer list-none items-center justify-between gap-3 px-4 select-none hover:bg-sunken [&::-webkit-details-marker]:hidden">
              <span className="flex items-center gap-2.5 text-sm font-semibold">
                <span aria-hidden className="text-faint transition-transform group-open:rotate-90">
                  ›
                </span>
                {ruleSections[section]}
              </span>
              <span className="text-xs text-muted">{changesIn(section, shown)}</span>
            </summary>
            {namesOf(section, shown).map((name) => (
              <RuleSetting key={name} name={name} shown={shown} isFocused={name === focused} />
            ))}
          </details>
        ))}
    </div>
  );
}

/** Only an organization decides about the membership. Its card tells whether it may be left. */
const sections = (Object.keys(ruleSections) as RuleSection[]).filter((section) => section !== "membership");

/** Counts the rules in a section that the donor changed or the organization locked. */
function changesIn(section: RuleSection, shown: RulesShown): string {
  const { from, locked } = shown;
  const names = namesOf(section, shown);
  const yours = names.filter((name) => from[name] === "donor").length;
  const theirs = names.filter((name) => locked.includes(name)).length;
  return [yours > 0 ? `${yours} changed` : "", theirs > 0 ? `${theirs} locked` : ""]
    .filter(Boolean)
    .join(", ");
}

function namesOf(section: RuleSection, shown: RulesShown): readonly RuleName[] {
  return ruleNames.filter((name) => ruleOf(name).section === section && isOfUse(name, shown));
}

function isOfUse(name: RuleName, { rules, startAtLogin = null, updates }: RulesShown): boolean {
  // A person at the computer expects it to be on.
  if (name === "requireIdle") return !rules.requireIdle;
  if (ruleOf(name).section === "updates") return updates?.kind === "on" || updates?.why === "rule";
  return name !== "startAtLogin" || startAtLogin !== null;
}
