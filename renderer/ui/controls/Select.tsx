import { type ComponentPropsWithRef, type ReactNode, useId } from "react";
import { inputClass } from "./Field.tsx";

export type Option = {
  readonly value: string;
  readonly label: string;
  /** The heading of this option and its neighbors with the same one. */
  readonly group?: string;
};

type SelectBoxProps = Omit<ComponentPropsWithRef<"select">, "onChange"> & {
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
};

/** The browser's own select, with its keyboard and screen reader support. */
export function SelectBox({ options, onChange, ...rest }: SelectBoxProps): ReactNode {
  return (
    <select {...rest} onChange={(event) => onChange(event.target.value)} className={inputClass(false)}>
      {byGroup(options).map(({ group, members }) =>
        group === undefined ? (
          members.map(optionOf)
        ) : (
          <optgroup key={group} label={group}>
            {members.map(optionOf)}
          </optgroup>
        ),
      )}
    </select>
  );
}

function optionOf({ value, label }: Option): ReactNode {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}

type Group = { readonly group: string | undefined; readonly members: Option[] };

function byGroup(options: readonly Option[]): readonly Group[] {
  const groups: Group[] = [];
  for (const option of options) {
    const last = groups.at(-1);
    if (last !== undefined && last.group === option.group) last.members.push(option);
    else groups.push({ group: option.group, members: [option] });
  }
  return groups;
}

type Props = {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
};

/** A labeled select. Screen readers read its hint with it. */
export function Select({ label, hint, ...rest }: Props): ReactNode {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint === undefined ? null : (
        <p id={`${id}-note`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      <SelectBox id={id} aria-describedby={hint === undefined ? undefined : `${id}-note`} {...rest} />
    </div>
  );
}
