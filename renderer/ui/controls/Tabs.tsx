import { Tabs as Radix } from "radix-ui";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
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

/** Tabs in one row. A row that is wider than its box scrolls: its edges fade, and the chosen tab is in view. */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  flush = false,
  onChange,
}: Props<Value>): ReactNode {
  const row = useRef<HTMLDivElement>(null);
  const { before, after } = useHidden(row);
  useEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>("[data-state=active]");
    if (row.current === null || chosen == null) return;
    row.current.scrollLeft = chosen.offsetLeft - (row.current.clientWidth - chosen.offsetWidth) / 2;
  }, [value]);
  return (
    <Radix.Root
      value={value}
      onValueChange={(next) => {
        const found = tabs.find((tab) => tab.value === next);
        if (found !== undefined) onChange(found.value);
      }}
    >
      <div className="relative border-b border-line">
        {before ? <Edge side="left" /> : null}
        {after ? <Edge side="right" /> : null}
        <Radix.List
          ref={row}
          aria-label={label}
          className={cx(
            "relative flex gap-1 max-[27rem]:gap-0 overflow-x-auto [scrollbar-width:none]",
            before && after && "mask-x-from-[calc(100%-1.5rem)]",
            before && !after && "mask-l-from-[calc(100%-1.5rem)]",
            after && !before && "mask-r-from-[calc(100%-1.5rem)]",
          )}
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="h-9 shrink-0 scroll-mx-8 rounded-t-sm border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink max-[27rem]:px-1.5"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className={cx("outline-offset-4", !flush && "pt-3")}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** Says that there are more tabs on this side. */
function Edge({ side }: { readonly side: "left" | "right" }): ReactNode {
  return (
    <span
      aria-hidden
      className={cx(
        "pointer-events-none absolute inset-y-0 grid place-items-center text-muted",
        side === "left" ? "left-0" : "right-0",
      )}
    >
      {side === "left" ? "‹" : "›"}
    </span>
  );
}

/** Whether a part of the row is hidden before or after what is in view. */
function useHidden(row: RefObject<HTMLElement | null>): {
  readonly before: boolean;
  readonly after: boolean;
} {
  const [before, setBefore] = useState(false);
  const [after, setAfter] = useState(false);
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const look = (): void => {
      const rest = element.scrollWidth - element.clientWidth - element.scrollLeft;
      setBefore(element.scrollLeft > 1);
      setAfter(rest > 1);
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      resized.disconnect();
    };
  }, [row]);
  return { before, after };
}
