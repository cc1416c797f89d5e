import { type ComponentPropsWithRef, type ReactNode, useId } from "react";
import { inputClass } from "./Field.tsx";

type Props = Omit<ComponentPropsWithRef<"textarea">, "id"> & {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | null;
  /** Code, in a monospaced font. */
  readonly code?: boolean;
};

/** A labeled text of several lines. Screen readers read its hint and its error with it. */
export function TextArea({ label, hint, error = null, code = false, ...rest }: Props): ReactNode {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <textarea
        id={id}
        aria-invalid={error !== null}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        spellCheck={!code}
        className={`${inputClass(error !== null)} h-auto py-1.5 ${code ? "font-mono text-xs" : ""}`}
        {...rest}
      />
      {note === undefined ? null : (
        <p
          id={`${id}-note`}
          role={error === null ? undefined : "alert"}
          className={error === null ? "text-xs text-muted" : "text-xs text-bad"}
        >
          {note}
        </p>
      )}
    </div>
  );
}
