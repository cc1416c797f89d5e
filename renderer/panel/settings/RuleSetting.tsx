import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { sayDonorSentence } from "../../../app/contract/sentences/donor-sentences.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { RuleLayer } from "../../../app/policy/rule-layers.ts";
import { type RuleName, ruleOf, type Rules } from "../../../app/policy/rules.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { cx } from "../../ui/cx.ts";
import { useAct } from "../state/actions.ts";
import { decidedBy } from "./decided-by.ts";
import { RuleEditor } from "./RuleEditor.tsx";
import { chosen, hasChoices, optionsFor, settingWords } from "./setting-options.ts";

/** The rules that apply now, and who set each. */
export type RulesShown = DonorSnapshot["ruleLayers"] &
  Pick<DonorSnapshot, "rules" | "startAtLogin" | "updates">;

type Props = {
  readonly name: RuleName;
  readonly shown: RulesShown;
  /** Whether another page leads here. */
  readonly isFocused?: boolean;
};

/** One rule: its explanation, its value, and who set it. A locked rule is read-only. */
export function RuleSetting({ name, shown, isFocused = false }: Props): ReactNode {
  const act = useAct();
  const id = useId();
  const [editing, setEditing] = useState(false);
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) group.current?.focus();
  }, [isFocused]);
  const { title, hint } = ruleOf(name);
  const value = shown.rules[name];
  const locked = shown.locked.includes(name);
  const isSmall = typeof value === "boolean" || hasChoices(name);
  const set = (next: unknown): void => act("setRules", { [name]: next });
  return (
    <div
      ref={group}
      role="group"
      tabIndex={isFocused ? -1 : undefined}
      aria-label={title}
      className="grid gap-1 border-t border-line px-4 py-3 -outline-offset-2 focus:outline-2 focus:outline-accent"
    >
      <div
        className={cx(
          "flex items-start justify-between gap-4",
          hasChoices(name) && "max-[20rem]:flex-col max-[20rem]:gap-1.5",
        )}
      >
        <div className="min-w-0">
          <p className="font-medium">{title}</p>
          <p id={`${id}-note`} className="text-xs text-muted">
            {name === "requireIdle"
              ? "Set at the start or by your organization. You cannot change it here."
              : hint}
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
          <Button size="sm" aria-label={`Edit ${title}`} onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
      </div>
      {isSmall || editing ? null : <p>{settingWords(name, shown.rules[name])}</p>}
      {editing && !locked ? (
        <RuleEditor
          name={name}
          value={value}
          describedBy={`${id}-note`}
          onSet={set}
          onClose={() => setEditing(false)}
        />
      ) : null}
      {name === "startAtLogin" && shown.startAtLogin?.problem ? (
        <p role="alert" className="text-xs text-bad">
          {sayDonorSentence(shown.startAtLogin.said, shown.startAtLogin.problem)}
        </p>
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

type SwitchProps = {
  readonly name: RuleName;
  readonly rules: Rules;
  readonly locked: boolean;
  readonly describedBy: string;
  readonly onSet: (value: boolean | number | null) => void;
};

/** The control of a rule with one part: a switch, or a list of choices. It takes effect at once. */
function RuleSwitch({ name, rules, locked, describedBy, onSet }: SwitchProps): ReactNode {
  const { title } = ruleOf(name);
  const value = rules[name];
  if (locked) return <p className="text-right whitespace-nowrap text-muted">{settingWords(name, value)}</p>;
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

type DecidedProps = {
  readonly layer: RuleLayer;
  readonly locked: boolean;
  readonly title: string;
  readonly onUndo: () => void;
};

/** Shows who set a rule. Donors can undo their own choice. */
function DecidedBy({ layer, locked, title, onUndo }: DecidedProps): ReactNode {
  return (
    <p className="flex min-h-5 items-center gap-1 text-xs text-faint">
      {locked ? <Lock /> : null}
      {decidedBy(layer, locked)}
      {layer === "donor" ? (
        <Button
          size="sm"
          look="quiet"
          className="h-5 px-1.5"
          aria-label={`Undo my choice: ${title}`}
          onClick={onUndo}
        >
          Undo
        </Button>
      ) : null}
    </p>
  );
}

function Lock(): ReactNode {
  return (
    <svg aria-hidden viewBox="0 0 12 12" className="size-3 fill-current">
      <path d="M3.5 5V3.8a2.5 2.5 0 0 1 5 0V5H9a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm1.2 0h2.6V3.8a1.3 1.3 0 0 0-2.6 0z" />
    </svg>
  );
}
