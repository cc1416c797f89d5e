import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

export type Tab<Value extends string> = {
  readonly value: Value;
  readonly label: string;
  readonly content: ReactNode;
};

type Props<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly Tab<Value>[];
  readonly onChange: (value: Value) => void;
};

export function Tabs<Value extends string>({ label, value, tabs, onChange }: Props<Value>): ReactNode {
  return (
    <Radix.Root
      value={value}
      onValueChange={(next) => {
        const found = tabs.find((tab) => tab.value === next);
        if (found !== undefined) onChange(found.value);
      }}
    >
      <Radix.List aria-label={label} className="flex flex-wrap gap-1 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 rounded-t-sm border-b-2 border-transparent px-3 font-medium max-[24rem]:px-2 text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-3 outline-offset-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
