import { type ReactNode, useState } from "react";
import { plainNumber } from "../../app/format/typed-number.ts";
import type { Unit } from "../../app/policy/declare/rule.ts";
import { inputClass } from "../ui/controls/Field.tsx";
import { cx } from "../ui/cx.ts";
import { factorOf } from "./rule-problems.ts";

type Props = {
  readonly label: string;
  readonly unit: Unit | "threads";
  /** The label for null, if the rule allows null. */
  readonly none?: string | undefined;
  /** The value as the rule stores it. NaN while the typed text is not a number. */
  readonly value: number | null;
  readonly invalid: boolean;
  readonly describedBy?: string;
  readonly onChange: (value: number | null) => void;
};

const unitWords: Readonly<Record<Props["unit"], string>> = {
  seconds: /* @wc-include */ "seconds",
  share: "%",
  "%": "%",
  "°C": "°C",
  MiB: "MiB",
  "kbit/s": "kbit/s",
  threads: /* @wc-include */ "threads",
};

/** A number with its unit, and a checkbox for null if null is allowed. */
export function NumberControl(props: Props): ReactNode {
  const { label, unit, none, value, invalid, describedBy, onChange } = props;
  const factor = factorOf(unit);
  const [typed, setTyped] = useState("");
  const parsed = parse(typed, factor);
  // Keeps the typed text until the value changes from elsewhere.
  const shown = value === null ? "" : Object.is(parsed, value) ? typed : format(value, factor);
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
          placeholder={value === null ? none : undefined}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(parse(event.target.value, factor));
          }}
          className={cx(inputClass(invalid), "text-right disabled:opacity-60")}
        />
        <span className="w-14 shrink-0 text-muted">{unitWords[unit]}</span>
      </div>
      {none === undefined ? null : (
        <label className="flex items-center gap-2 text-xs text-muted">
          <input
            type="checkbox"
            aria-label={`${label}: ${none}`}
            checked={value === null}
            onChange={(event) => onChange(event.target.checked ? null : startOf(unit))}
            className="size-3.5 accent-accent"
          />
          {none}
        </label>
      )}
    </div>
  );
}

/** The initial value of a new limit. */
function startOf(unit: Props["unit"]): number {
  return unit === "°C" ? 85 : 10_000;
}

function parse(typed: string, factor: number): number {
  const text = plainNumber(typed);
  if (!/^\d+(\.\d+)?$/.test(text)) return Number.NaN;
  return factor === 1 ? Number(text) : Number((Number(text) / factor).toFixed(4));
}

function format(value: number, factor: number): string {
  return Number.isNaN(value) ? "" : String(Number((value * factor).toFixed(2)));
}
