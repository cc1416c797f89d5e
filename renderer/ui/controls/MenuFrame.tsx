import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode, RefObject } from "react";

type Props = {
  readonly trigger: ReactElement;
  readonly triggerRef?: RefObject<HTMLButtonElement | null>;
  readonly label: string;
  readonly align?: "start" | "end";
  readonly onOpenChange?: (open: boolean) => void;
  /** Items of Radix's menu. */
  readonly children: ReactNode;
};

/**
 * The box of a menu, and the button that opens it.
 *
 * It is not modal: a modal menu locks scrolling with an inline style sheet, which the content security policy forbids.
 */
export function MenuFrame({
  trigger,
  triggerRef,
  label,
  align = "start",
  onOpenChange,
  children,
}: Props): ReactNode {
  return (
    <DropdownMenu.Root modal={false} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <DropdownMenu.Trigger asChild ref={triggerRef}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={label}
          align={align}
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
