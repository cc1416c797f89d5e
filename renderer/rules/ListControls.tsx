import { type ReactNode, useState } from "react";
import { inputClass } from "../ui/controls/Field.tsx";
import { joinNames, splitNames } from "../ui/names.ts";

type Props = {
  readonly label: string;
  readonly value: readonly string[];
  readonly placeholder: string;
  readonly invalid: boolean;
  readonly describedBy: string;
  readonly onChange: (value: string[]) => void;
};

/** Names separated by commas. */
export function NamesControl({
  label,
  value,
  placeholder,
  invalid,
  describedBy,
  onChange,
}: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const shown = splitNames(typed).join() === value.join() ? typed : joinNames(value);
  return (
    <input
      aria-label={label}
      aria-invalid={invalid}
      aria-describedby={describedBy}
      value={shown}
      placeholder={placeholder}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(splitNames(event.target.value));
      }}
      className={inputClass(invalid)}
    />
  );
}

type Gpu = { readonly index: number; readonly allow: boolean };

/** The numbers of the excluded GPUs, separated by commas. */
export function GpusControl({
  value,
  onChange,
  ...rest
}: Omit<Props, "value" | "onChange" | "placeholder"> & {
  readonly value: readonly Gpu[];
  readonly onChange: (value: Gpu[]) => void;
}): ReactNode {
  return (
    <NamesControl
      {...rest}
      placeholder="For example 1"
      value={value
        .filter(({ allow }) => !allow)
        .map(({ index }) => (Number.isNaN(index) ? "?" : String(index)))}
      onChange={(names) =>
        onChange(
          names.map((name) => ({ index: /^\d+$/.test(name) ? Number(name) : Number.NaN, allow: false })),
        )
      }
    />
  );
}
