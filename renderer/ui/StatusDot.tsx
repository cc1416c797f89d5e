import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { type Tone, toneFill } from "./tone.ts";

/** A colored dot. Put words next to it: color must not be the only sign. */
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
