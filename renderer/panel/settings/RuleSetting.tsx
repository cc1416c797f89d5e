import { type ReactNode, useId, useState } from "react";
import { type RuleName, ruleOf } from "../../../app/policy/rules.ts";
import { sayRule } from "../../../app/policy/say-rule.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { useAct } from "../state/actions.ts";
import { DecidedBy } from "./DecidedBy.tsx";
import { RuleEditor } from "./RuleEditor.tsx";
import type { RulesShown } from "./rules-shown.ts";
import { RuleSwitch } from "./RuleSwitch.tsx";
import { hasChoices } from "./setting-options.ts";

type Props = { readonly name: RuleName; readonly shown: RulesShown };

/** One rule: its explanation, its value, and who set it. A locked rule is read-only. */
export function RuleSetting({ name, shown }: Props): ReactNode {
  const act = useAct();
  const id = useId();
  const [editing, setEditing] = useState(false);
  const { title, hint } = ruleOf(name);
  const value = shown.rules[name];
  const locked = shown.locked.includes(name);
  const isSmall = typeof value === "boolean" || hasChoices(name);
  const set = (next: unknown): void => act("setRules", { [name]: next });
  return (
    <div role="group" aria-label={title} className="grid gap-1 border-t border-line px-4 py-3">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="font-medium">{title}</p>
          <p id={`${id}-note`} className="text-xs text-muted">
            {name === "requireIdle" ? "A start option set this. You cannot change it here." : hint}
          </p>
        </div>
        {isSmall ? (
          <RuleSwitch
            name={name}
            rules={shown.rules}
            locked={locked || name === "requireIdle"}
            describedBy={`${id}-note`}
            onSet={set}
          />
        ) : locked || editing ? null : (
          <Button size="sm" aria-label={`Change ${title}`} onClick={() => setEditing(true)}>
            Change
          </Button>
        )}
      </div>
      {isSmall || editing ? null : <p>{sayRule(name, shown.rules[name])}</p>}
      {editing && !locked ? (
        <RuleEditor
          name={name}
          value={value}
          describedBy={`${id}-note`}
          onSet={set}
          onClose={() => setEditing(false)}
        />
      ) : null}
      <DecidedBy
        layer={shown.from[name]}
        locked={locked}
        title={title}
        onUndo={() => act("resetRules", { names: [name] })}
      />
    </div>
  );
}
