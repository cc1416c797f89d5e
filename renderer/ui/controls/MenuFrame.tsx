import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode } from "react";

type Props = {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly onOpenChange?: (open: boolean) => void;
  /** Items of Radix's menu. */
  readonly children: ReactNode;
};

/**
 * The box of a menu, and the button that opens it.
 *
 * It is not modal: a modal menu locks scrolling with an inline style sheet, which the content security policy forbids.
 */
export function MenuFrame({ trigger, label, onOpenChange, children }: Props): ReactNode {
  return (
    <DropdownMenu.Root modal={false} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-20 max-h-(--radix-dropdown-menu-content-available-height) max-w-80 min-w-44 animate-appear overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-pop"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
