import { type ReactNode, useId } from "react";

type Props = {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
};

/** One choice of several that may be combined. Screen readers read its hint with it. */
export function Checkbox({ label, hint, checked, disabled = false, onChange }: Props): ReactNode {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="wrap-anywhere">
          {label}
        </label>
        {hint === undefined ? null : (
          <p id={`${id}-note`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
