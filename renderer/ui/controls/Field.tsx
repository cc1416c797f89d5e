import { type ComponentPropsWithRef, type ReactNode, useId } from "react";
import { cx } from "../cx.ts";

type Props = Omit<ComponentPropsWithRef<"input">, "id"> & {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | null;
  readonly unit?: string;
};

/** A labeled input. Screen readers read its hint and its error with it. */
export function Field({ label, hint, error = null, unit, className, ...rest }: Props): ReactNode {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={cx("grid gap-1", className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="flex items-center gap-2">
        <input
          id={id}
          aria-invalid={error !== null}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          className={inputClass(error !== null)}
          {...rest}
        />
        {unit === undefined ? null : <span className="shrink-0 text-muted">{unit}</span>}
      </div>
      {note === undefined ? null : (
        <p
          id={`${id}-note`}
          role={error === null ? undefined : "alert"}
          className={cx("text-xs", error === null ? "text-muted" : "text-bad")}
        >
          {note}
        </p>
      )}
    </div>
  );
}

export function inputClass(invalid: boolean): string {
  return cx(
    "h-8 w-full min-w-0 rounded-md border bg-surface px-2.5 text-ink placeholder:text-faint",
    invalid ? "border-bad" : "border-edge",
  );
}
