import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { type Tone, toneFill } from "./tone.ts";

/** A colored dot. Color is never the only sign: put words beside it. */
export function StatusDot({
  tone,
  busy = false,
}: {
  readonly tone: Tone;
  readonly busy?: boolean;
}): ReactNode {
  return (
    <span
      aria-hidden
      className={cx("inline-block size-2 shrink-0 rounded-full", toneFill[tone], busy && "animate-breathe")}
    />
  );
}
