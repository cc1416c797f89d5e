import { DropdownMenu } from "radix-ui";
import { type ReactElement, type ReactNode, useRef, useState } from "react";
import { MenuFrame } from "./MenuFrame.tsx";

export type MenuEntry = { readonly label: string; readonly onSelect: () => void };

type Props = {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
};

/**
 * An open menu keeps its entries, because a new or removed entry would move the others under the pointer. A chosen
 * entry runs its latest action, with the focus back at the trigger: a dialog returns the focus where it found it.
 */
export function Menu({ trigger, label, entries, align = "start" }: Props): ReactNode {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<readonly MenuEntry[] | null>(null);
  const select = (chosen: MenuEntry): void => {
    triggerRef.current?.focus();
    (entries.find((entry) => entry.label === chosen.label) ?? chosen).onSelect();
  };
  return (
    <MenuFrame
      trigger={trigger}
      triggerRef={triggerRef}
      label={label}
      align={align}
      onOpenChange={(open) => setOpened(open ? entries : null)}
    >
      {(opened ?? entries).map((entry) => (
        <DropdownMenu.Item
          key={entry.label}
          onSelect={() => select(entry)}
          className="flex h-8 cursor-pointer items-center rounded-sm px-2.5 outline-none select-none data-[highlighted]:bg-accent-tint"
        >
          {entry.label}
        </DropdownMenu.Item>
      ))}
    </MenuFrame>
  );
}
