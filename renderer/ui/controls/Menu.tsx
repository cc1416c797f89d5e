import { DropdownMenu } from "radix-ui";
import { type ReactElement, type ReactNode, useState } from "react";
import { cx } from "../cx.ts";

export type MenuEntry = {
  readonly label: string;
  readonly hint?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
};

type Props = {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
};

/**
 * An open menu keeps its entries: a new or removed entry would move the others under the pointer. A chosen
 * entry does what it does at that moment.
 *
 * It is not modal: a modal menu locks scrolling with an inline style sheet, which the content security policy forbids.
 */
export function Menu({ trigger, label, entries, align = "start" }: Props): ReactNode {
  const [opened, setOpened] = useState<readonly MenuEntry[] | null>(null);
  const select = (chosen: MenuEntry): void =>
    (entries.find((entry) => entry.label === chosen.label) ?? chosen).onSelect();
  return (
    <DropdownMenu.Root modal={false} onOpenChange={(open) => setOpened(open ? entries : null)}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-20 min-w-44 animate-appear rounded-md border border-line bg-raised p-1 shadow-pop"
        >
          {(opened ?? entries).map((entry) => (
            <DropdownMenu.Item
              key={entry.label}
              disabled={entry.disabled ?? false}
              onSelect={() => select(entry)}
              className={cx(
                "flex h-8 cursor-pointer items-center justify-between gap-6 rounded-sm px-2.5 outline-none select-none",
                "data-[highlighted]:bg-accent-tint data-[disabled]:pointer-events-none data-[disabled]:opacity-50",
                entry.danger === true && "text-bad data-[highlighted]:bg-bad-tint",
              )}
            >
              <span>{entry.label}</span>
              {entry.hint === undefined ? null : <span className="text-xs text-muted">{entry.hint}</span>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
