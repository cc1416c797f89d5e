import { type ReactNode, useState } from "react";
import { cx } from "../ui/cx.ts";
import { inputClass } from "../ui/Field.tsx";
import type { NumberField } from "./rule-fields.ts";

type Props = {
  readonly label: string;
  readonly field: NumberField;
  /** In the rule's own unit; NaN while what is typed is no number. */
  readonly value: number | null;
  readonly invalid: boolean;
  readonly describedBy?: string;
  readonly onChange: (value: number | null) => void;
};

/** A number with its unit and, where the rule takes none, a tick for that. */
export function NumberControl({ label, field, value, invalid, describedBy, onChange }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const parsed = parse(typed, field.factor);
  // What was typed stays as it was typed, until the value comes from elsewhere.
  const shown = value === null ? "" : Object.is(parsed, value) ? typed : format(value, field.factor);
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center gap-2">
        <input
          aria-label={label}
          aria-invalid={invalid}
          aria-describedby={describedBy}
          inputMode="decimal"
          disabled={value === null}
          value={shown}
          placeholder={value === null ? field.none : undefined}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(parse(event.target.value, field.factor));
          }}
          className={cx(inputClass(invalid), "text-right disabled:opacity-60")}
        />
        <span className="w-14 shrink-0 text-muted">{field.unit}</span>
      </div>
      {field.none === undefined ? null : (
        <label className="flex items-center gap-2 text-xs text-muted">
          <input
            type="checkbox"
            aria-label={`${label}: ${field.none}`}
            checked={value === null}
            onChange={(event) => onChange(event.target.checked ? null : startOf(field))}
            className="size-3.5 accent-accent"
          />
          {field.none}
        </label>
      )}
    </div>
  );
}

/** A sensible number to begin with where there was no limit. */
function startOf({ unit }: NumberField): number {
  return unit === "°C" ? 85 : 10_000;
}

function parse(typed: string, factor: number): number {
  const text = typed.trim();
  if (!/^\d+(\.\d+)?$/.test(text)) return Number.NaN;
  return factor === 1 ? Number(text) : Number((Number(text) / factor).toFixed(4));
}

function format(value: number, factor: number): string {
  return Number.isNaN(value) ? "" : String(Number((value * factor).toFixed(2)));
}
