import type { ReactNode } from "react";
import { cx } from "../cx.ts";

type Props<Value> = {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
};

/** A choice of one among a few, all of which are shown. */
export function FilterPills<Value>({ label, options, value, onChange }: Props<Value>): ReactNode {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {options.map((option) => (
        <button
          key={option.label}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={cx(
            "h-7 rounded-full border px-3 text-xs font-medium",
            option.value === value
              ? "border-transparent bg-accent-tint text-accent"
              : "border-line bg-surface text-muted hover:text-ink",
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
