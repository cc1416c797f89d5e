import { Switch as Radix } from "radix-ui";
import type { ReactNode } from "react";

type Props = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

export function Switch({ label, checked, onChange }: Props): ReactNode {
  return (
    <Radix.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onChange}
      className="h-5 w-9 shrink-0 rounded-full border border-edge bg-sunken transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent"
    >
      <Radix.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-edge transition-transform data-[state=checked]:translate-x-[1.125rem] data-[state=checked]:bg-on-accent" />
    </Radix.Root>
  );
}
