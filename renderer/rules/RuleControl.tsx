import type { ReactNode } from "react";
import { assertNever } from "../../app/assert-never.ts";
import { type RuleName, ruleOf, type Rules } from "../../app/policy/rules.ts";
import { Switch } from "../ui/controls/Switch.tsx";
import { IdleControl, InUseControl } from "./LimitsControl.tsx";
import { GpusControl, NamesControl } from "./ListControls.tsx";
import { NumberControl } from "./NumberControl.tsx";
import { ScheduleControl } from "./ScheduleControl.tsx";

type Props = {
  readonly name: RuleName;
  readonly label: string;
  /** The value as read or typed. It may be invalid while somebody types. */
  readonly value: unknown;
  readonly invalid: boolean;
  readonly describedBy: string;
  readonly onChange: (value: unknown) => void;
};

/** The control of one rule. */
export function RuleControl({ name, label, value, invalid, describedBy, onChange }: Props): ReactNode {
  const { field } = ruleOf(name);
  const common = { label, invalid, describedBy, onChange };
  switch (field.kind) {
    case "switch":
      return <Switch label={label} checked={value === true} onChange={onChange} />;
    case "number":
      return (
        <NumberControl
          {...common}
          unit={field.unit}
          none={field.optional ? "No limit" : undefined}
          value={value as number | null}
        />
      );
    case "names":
      return <NamesControl {...common} placeholder={field.placeholder} value={value as readonly string[]} />;
    case "gpus":
      return <GpusControl {...common} value={value as Rules["gpus"]} />;
    case "schedule":
      return <ScheduleControl label={label} value={value as Rules["schedule"]} onChange={onChange} />;
    case "idle":
      return <IdleControl label={label} value={value as Rules["idle"]} onChange={onChange} />;
    case "inUse":
      return <InUseControl label={label} value={value as Rules["inUse"]} onChange={onChange} />;
    default:
      return assertNever(field);
  }
}
