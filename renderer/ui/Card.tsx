import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

type Props = {
  readonly title?: string;
  /** At the right of the title. */
  readonly aside?: ReactNode;
  /** For content with margins of its own, such as a table. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
};

export function Card({ title, aside, flush = false, className, children }: Props): ReactNode {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={cx("min-w-0 overflow-clip rounded-lg border border-line bg-surface", className)}
    >
      {title === undefined ? null : (
        <header
          className={cx(
            "flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-1 px-4",
            flush ? "border-b border-line py-1.5" : "pt-2 pb-1",
          )}
        >
          <h2 id={id} className="text-sm font-semibold wrap-anywhere">
            {title}
          </h2>
          {aside}
        </header>
      )}
      <div className={cx(!flush && "px-4 pb-4", !flush && title === undefined && "pt-4")}>{children}</div>
    </section>
  );
}
