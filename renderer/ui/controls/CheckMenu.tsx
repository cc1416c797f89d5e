import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { MenuFrame } from "./MenuFrame.tsx";

type Choice<Value extends string> = { readonly value: Value; readonly label: string };

type Props<Value extends string> = {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
  readonly chosen: readonly Value[];
  readonly onChoose: (chosen: readonly Value[]) => void;
  /** Null: it is chosen as at first already. */
  readonly onReset: (() => void) | null;
};

const itemClass =
  "flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2.5 outline-none select-none data-[disabled]:text-faint data-[highlighted]:bg-accent-tint";

/** A menu of choices that may be combined. It stays open, so that several can be changed. */
export function CheckMenu<Value extends string>({
  trigger,
  label,
  choices,
  chosen,
  onChoose,
  onReset,
}: Props<Value>): ReactNode {
  const keepOpen = (event: Event): void => event.preventDefault();
  return (
    <MenuFrame trigger={trigger} label={label}>
      {choices.map(({ value, label: words }) => (
        <DropdownMenu.CheckboxItem
          key={value}
          // Typed letters find it without its mark.
          textValue={words}
          checked={chosen.includes(value)}
          onSelect={keepOpen}
          onCheckedChange={(isChosen) =>
            onChoose(isChosen ? [...chosen, value] : chosen.filter((other) => other !== value))
          }
          className={itemClass}
        >
          <span aria-hidden className="w-4 shrink-0 text-accent">
            {chosen.includes(value) ? "✓" : ""}
          </span>
          {words}
        </DropdownMenu.CheckboxItem>
      ))}
      <DropdownMenu.Separator className="my-1 h-px bg-line" />
      <DropdownMenu.Item
        disabled={onReset === null}
        onSelect={(event) => {
          keepOpen(event);
          onReset?.();
        }}
        className={itemClass}
      >
        <span aria-hidden className="w-4 shrink-0" />
        Reset
      </DropdownMenu.Item>
    </MenuFrame>
  );
}
