import { type ReactNode, useId } from "react";
import { inputClass } from "./Field.tsx";

export type Option = { readonly value: string; readonly label: string };

type Props = {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly disabled?: boolean;
  /** Puts the label at the left and the control at the right, as in a list of settings. */
  readonly row?: boolean;
  readonly onChange: (value: string) => void;
};

/** The browser's own select, with its keyboard and screen reader support. */
export function Select({
  label,
  hint,
  value,
  options,
  disabled = false,
  row = false,
  onChange,
}: Props): ReactNode {
  const id = useId();
  return (
    <div className={row ? "flex items-center justify-between gap-4" : "grid gap-1"}>
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint === undefined ? null : (
          <p id={`${id}-note`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
      <div className={row ? "w-32 shrink-0" : undefined}>
        <select
          id={id}
          value={value}
          disabled={disabled}
          aria-describedby={hint === undefined ? undefined : `${id}-note`}
          onChange={(event) => onChange(event.target.value)}
          className={`${inputClass(false)} disabled:opacity-50`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
