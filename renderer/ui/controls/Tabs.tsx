import { Tabs as Radix } from "radix-ui";
import type { MouseEvent, ReactNode } from "react";
import { cx } from "../cx.ts";

export type Tab<Value extends string> = {
  readonly value: Value;
  readonly label: string;
  readonly content: ReactNode;
};

type Props<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly Tab<Value>[];
  /** For content with margins of its own, such as a table. */
  readonly flush?: boolean;
  readonly onChange: (value: Value) => void;
};

/** Radix focuses a pressed tab by script, which browsers take for the keyboard: they would show the ring of the focus. */
function focusWithoutRing({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.focus({ focusVisible: false });
}

/** Tabs in one row, or in several where one is too narrow: long words and large letters must not hide a tab. */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  flush = false,
  onChange,
}: Props<Value>): ReactNode {
  return (
    <Radix.Root
      value={value}
      onValueChange={(next) => {
        const found = tabs.find((tab) => tab.value === next);
        if (found !== undefined) onChange(found.value);
      }}
    >
      <Radix.List
        aria-label={label}
        className={cx(
          "flex flex-wrap gap-x-1 border-b border-line max-[27rem]:gap-x-0",
          flush && "max-[27rem]:px-3",
        )}
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            onMouseDown={focusWithoutRing}
            className="h-9 rounded-t-sm border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink max-[27rem]:px-1"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={cx("outline-offset-4", !flush && "pt-3")}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
