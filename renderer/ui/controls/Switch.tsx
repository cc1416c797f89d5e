import { Switch as Radix } from "radix-ui";
import type { ReactNode } from "react";

type Props = {
  readonly id?: string;
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
};

export function Switch({ id, label, checked, disabled = false, onChange }: Props): ReactNode {
  return (
    <Radix.Root
      {...(id === undefined ? {} : { id })}
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
      className="h-5 w-9 shrink-0 rounded-full border border-edge bg-sunken transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
    >
      <Radix.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-edge transition-transform data-[state=checked]:translate-x-[1.125rem] data-[state=checked]:bg-on-accent" />
    </Radix.Root>
  );
}
