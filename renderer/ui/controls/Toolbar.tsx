import { type ReactNode, useLayoutEffect, useRef } from "react";

type Props = {
  readonly label: string;
  /** How much is chosen. Other buttons belong to another number. */
  readonly chosen: number | "all";
  /** The quiet buttons that choose all or nothing, at the end of the bar. */
  readonly choosing: ReactNode;
  readonly children: ReactNode;
};

/** The acts on what is chosen in a list. It is there without a choice too, so that the list does not jump. */
export function Toolbar({ label, chosen, choosing, children }: Props): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const last = useRef(chosen);
  useLayoutEffect(() => {
    if (last.current === chosen) return;
    last.current = chosen;
    // The button that was pressed may be gone. Its focus then falls to the page, and Tab would begin at the page's top.
    if (document.activeElement === document.body) bar.current?.focus({ preventScroll: true });
  }, [chosen]);
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      tabIndex={-1}
      className="flex min-h-10 flex-wrap items-center gap-1.5 border-b border-line bg-sunken px-4 py-1.5 focus-visible:-outline-offset-2"
    >
      {children}
      <div className="-mx-2.5 flex flex-wrap sm:ml-auto">{choosing}</div>
    </div>
  );
}
