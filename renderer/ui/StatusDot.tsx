import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { type Tone, toneFill, toneText } from "./tone.ts";

type Props = {
  readonly tone: Tone;
  /** Work is under way. */
  readonly busy?: boolean;
  /** A ring instead of a dot, for the readiness to work. */
  readonly hollow?: boolean;
};

/** A colored dot. Put words next to it: color must not be the only sign. */
export function StatusDot({ tone, busy = false, hollow = false }: Props): ReactNode {
  return (
    <span
      aria-hidden
      className={cx(
        "inline-block size-2 shrink-0 rounded-full",
        hollow ? cx("border-2 border-current", toneText[tone]) : toneFill[tone],
        busy && "animate-breathe",
      )}
    />
  );
}
