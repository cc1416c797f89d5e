import { Tooltip as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";

/** Wraps the whole page once. */
export function TooltipProvider({ children }: { readonly children: ReactNode }): ReactNode {
  return <Radix.Provider delayDuration={350}>{children}</Radix.Provider>;
}

/** Explains its child. If the child is not focusable, show the text elsewhere too. */
export function Tooltip({
  text,
  children,
}: {
  readonly text: string;
  readonly children: ReactElement;
}): ReactNode {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={5}
          collisionPadding={8}
          className="z-30 max-w-72 animate-appear rounded-sm border border-line bg-raised px-2.5 py-1.5 text-xs text-ink shadow-pop"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
