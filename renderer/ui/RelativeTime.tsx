import type { ReactNode } from "react";
import { formatFull, formatRelative } from "../../app/format/time.ts";
import { useNow } from "./clock.ts";

// The server's clock may be slightly ahead. Its latest events must not read "in 1s".
const skewMs = 3_000;

/** Shows a moment relative to now and keeps it up to date. Hovering shows the full date. */
export function RelativeTime({ at }: { readonly at: number }): ReactNode {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatFull(at)} className="whitespace-nowrap">
      {formatRelative(at > now + skewMs ? at - now : Math.min(at - now, 0))}
    </time>
  );
}
