import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { StatusDot } from "./StatusDot.tsx";
import { type Tone, toneTint } from "./tone.ts";

type Props = { readonly tone: Tone; readonly busy?: boolean; readonly children: ReactNode };

/** A line at the top about the whole page. */
export function Banner({ tone, busy = false, children }: Props): ReactNode {
  return (
    <div role="status" className={cx("flex items-center gap-2.5 px-4 py-2", toneTint[tone])}>
      <span className="flex h-[1lh] items-center self-start">
        <StatusDot tone={tone} busy={busy} />
      </span>
      <span className="min-w-0 flex-1">{children}</span>
    </div>
  );
}
