import type { ReactNode } from "react";
import { cx } from "./cx.ts";

/** A placeholder for content that is still loading, in its final size. */
export function Skeleton({ className }: { readonly className?: string }): ReactNode {
  return (
    <span aria-hidden className={cx("block animate-breathe rounded-sm bg-line", className ?? "h-4 w-full")} />
  );
}

export function SkeletonRows({ rows = 4 }: { readonly rows?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 px-4 py-4">
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} className={cx("h-4", at % 2 === 0 ? "w-full" : "w-4/5")} />
      ))}
    </div>
  );
}
