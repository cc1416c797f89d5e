import type { ReactNode } from "react";
import { useNow } from "./clock.ts";
import { formatAgo, formatFull, formatIn } from "./format/time.ts";

// A server's clock may run ahead of ours by a little: what it just did lies not "in 1 s".
const skewMs = 3_000;

/** A moment as a distance from now, kept up to date, with the full date and time on hover. */
export function RelativeTime({ at }: { readonly at: number }): ReactNode {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatFull(at)} className="whitespace-nowrap">
      {at > now + skewMs ? formatIn(at - now) : formatAgo(now - at)}
    </time>
  );
}
