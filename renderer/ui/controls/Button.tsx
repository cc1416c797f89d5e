import type { ComponentPropsWithRef, ReactNode } from "react";
import { cx } from "../cx.ts";

const looks = {
  primary: "bg-accent text-on-accent border-transparent hover:bg-accent-strong",
  plain: "bg-surface text-ink border-line hover:bg-sunken",
  quiet: "bg-transparent text-muted border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-bad text-on-accent border-transparent hover:bg-bad-strong",
} as const;

const sizes = { sm: "h-7 px-2.5 text-xs", md: "h-8 px-3 text-sm" } as const;

type Props = ComponentPropsWithRef<"button"> & {
  readonly look?: keyof typeof looks;
  readonly size?: keyof typeof sizes;
};

/** In a window of a few words' width, as with letters of twice the size. */
const narrow =
  "max-[20rem]:h-auto max-[20rem]:min-h-7 max-[20rem]:max-w-full max-[20rem]:shrink max-[20rem]:py-1 max-[20rem]:whitespace-normal";

/** A button. Its default `type` is "button", so that it never submits a form by accident. */
export function Button({
  look = "plain",
  size = "md",
  className,
  type = "button",
  ...rest
}: Props): ReactNode {
  return (
    <button
      type={type}
      data-look={look}
      className={cx(
        "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors",
        "disabled:pointer-events-none disabled:opacity-50",
        looks[look],
        sizes[size],
        narrow,
        className,
      )}
      {...rest}
    />
  );
}
