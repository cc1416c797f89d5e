import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { StatusDot } from "./StatusDot.tsx";
import { type Tone, toneTint } from "./tone.ts";

type Props = {
  readonly tone: Tone;
  readonly busy?: boolean;
  readonly dot?: boolean;
  readonly children: ReactNode;
};

export function Badge({ tone, busy = false, dot = false, children }: Props): ReactNode {
  return (
    <span
      className={cx(
        "inline-flex max-w-full items-center gap-1.5 rounded-full px-2 py-px text-xs font-medium whitespace-nowrap",
        toneTint[tone],
      )}
    >
      {dot ? <StatusDot tone={tone} busy={busy} /> : null}
      <span className="truncate">{children}</span>
    </span>
  );
}
