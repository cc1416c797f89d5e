import type { ReactNode } from "react";
import { type RuleName, ruleOf, type Rules } from "../../../app/policy/rules.ts";
import { sayRule } from "../../../app/policy/say-rule.ts";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { chosen, hasChoices, optionsFor } from "./setting-options.ts";

type Props = {
  readonly name: RuleName;
  readonly rules: Rules;
  readonly locked: boolean;
  readonly describedBy: string;
  readonly onSet: (value: boolean | number | null) => void;
};

/** The control of a rule with one part: a switch, or a list of choices. It takes effect at once. */
export function RuleSwitch({ name, rules, locked, describedBy, onSet }: Props): ReactNode {
  const { title } = ruleOf(name);
  const value = rules[name];
  if (locked) return <p className="text-right whitespace-nowrap text-muted">{sayRule(name, value)}</p>;
  if (typeof value === "boolean") return <Switch label={title} checked={value} onChange={onSet} />;
  if (!hasChoices(name)) return null;
  return (
    <div className="w-34 shrink-0">
      <SelectBox
        aria-label={title}
        aria-describedby={describedBy}
        value={JSON.stringify(value)}
        options={optionsFor(name, value)}
        onChange={(option) => onSet(chosen(option))}
      />
    </div>
  );
}
