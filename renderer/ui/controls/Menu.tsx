import { DropdownMenu } from "radix-ui";
import { type ReactElement, type ReactNode, useState } from "react";

export type MenuEntry = { readonly label: string; readonly onSelect: () => void };

type Props = {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
};

/**
 * An open menu keeps its entries, because a new or removed entry would move the others under the pointer. A chosen
 * entry runs its latest action.
 *
 * It is not modal: a modal menu locks scrolling with an inline style sheet, which the content security policy forbids.
 */
export function Menu({ trigger, label, entries }: Props): ReactNode {
  const [opened, setOpened] = useState<readonly MenuEntry[] | null>(null);
  const select = (chosen: MenuEntry): void =>
    (entries.find((entry) => entry.label === chosen.label) ?? chosen).onSelect();
  return (
    <DropdownMenu.Root modal={false} onOpenChange={(open) => setOpened(open ? entries : null)}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-20 max-h-(--radix-dropdown-menu-content-available-height) max-w-80 min-w-44 animate-appear overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-pop"
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
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
