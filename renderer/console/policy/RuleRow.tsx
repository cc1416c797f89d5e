import { type ReactNode, useId } from "react";
import { type RuleName, ruleOf, type Rules } from "../../../app/policy/rules.ts";
import { donorSees, sayRule } from "../../../app/policy/say-rule.ts";
import { RuleControl } from "../../rules/RuleControl.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { cx } from "../../ui/cx.ts";
import type { ShownRule } from "./policy-draft.ts";

type Props = {
  readonly name: RuleName;
  readonly shown: ShownRule;
  /** The value on a device. Another rule's lock may set it. */
  readonly effective: { readonly value: Rules[RuleName]; readonly locked: boolean };
  /** The error of the value. */
  readonly problem: string | null;
  /** The value that applies if this layer does not set it. */
  readonly inheritedFrom: "Default" | "Organization";
  /** Null for a member who may not change rules: they read the value in words. */
  readonly change: RuleChange | null;
};

type RuleChange = {
  readonly onValue: (value: unknown) => void;
  readonly onLock: (locked: boolean) => void;
  readonly onClear: () => void;
};

/** One rule: its label, its value, its lock, and what donors see. */
export function RuleRow(props: Props): ReactNode {
  const { name, shown, effective, problem, inheritedFrom, change } = props;
  const { title, hint } = ruleOf(name);
  const id = useId();
  const { value, locked, isSet, isSuggested, inheritedValue } = shown;
  return (
    <div
      role="group"
      aria-label={title}
      className={cx(
        "grid grid-cols-1 gap-x-5 gap-y-2 border-t border-line px-4 py-2.5 first:border-t-0 sm:grid-cols-[minmax(0,1fr)_17rem_4rem]",
        isSet && "shadow-[inset_3px_0_0_var(--color-accent)]",
      )}
    >
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p id={`${id}-note`} className="text-xs text-muted">
          {hint}
        </p>
        {problem === null ? (
          <p className="mt-1 text-xs">
            <span className="text-muted">Donors see: </span>
            {donorSees(name, { ...effective, set: isSuggested })}
          </p>
        ) : (
          <p role="alert" className="mt-1 text-xs text-bad">
            {problem}
          </p>
        )}
      </div>
      <div className="grid min-w-0 content-start gap-1.5">
        {change === null ? (
          <p>{sayRule(name, effective.value)}</p>
        ) : (
          <RuleControl
            name={name}
            label={title}
            value={value}
            invalid={problem !== null}
            describedBy={`${id}-note`}
            onChange={change.onValue}
          />
        )}
        <p className="flex items-center justify-between gap-2 text-xs text-faint">
          <span>
            {inheritedFrom}: {sayRule(name, inheritedValue)}
          </span>
          {isSet && change !== null ? (
            <Button
              size="sm"
              look="quiet"
              className="-my-1 h-6"
              aria-label={`Reset ${title}`}
              onClick={change.onClear}
            >
              Reset
            </Button>
          ) : null}
        </p>
      </div>
      <div className="flex items-start gap-2 sm:flex-col sm:items-end sm:gap-1">
        {change === null ? null : (
          <Switch label={`Lock ${title}`} checked={locked} onChange={change.onLock} />
        )}
        <span className="text-xs text-muted">{locked ? "Locked" : "Unlocked"}</span>
      </div>
    </div>
  );
}
