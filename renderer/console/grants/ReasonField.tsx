import type { ReactNode } from "react";
import { Field } from "../../ui/controls/Field.tsx";

type Props = { readonly value: string; readonly onChange: (reason: string) => void };

/** The reason for a change of credits. */
export function ReasonField({ value, onChange }: Props): ReactNode {
  return (
    <Field
      label="Reason"
      hint="It is shown in the statement and in the audit trail."
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
