import type { ReactNode } from "react";
import { formatFull, formatRelative } from "../../app/format/time.ts";
import { useFromNow } from "./clock.ts";
import { Tooltip } from "./overlays/Tooltip.tsx";

// The server's clock may be slightly ahead. Its latest events must not read "in 1s".
const skewMs = 3_000;

/** Shows a moment relative to now and keeps it up to date. Pointing at it or focusing it shows the full date. */
export function RelativeTime({ at }: { readonly at: number }): ReactNode {
  const words = useFromNow((now) => formatRelative(at > now + skewMs ? at - now : Math.min(at - now, 0)));
  return (
    <Tooltip text={formatFull(at)}>
      <time dateTime={new Date(at).toISOString()} tabIndex={0} className="whitespace-nowrap">
        {words}
      </time>
    </Tooltip>
  );
}
