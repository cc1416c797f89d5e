import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { formatShare } from "../../../app/format/quantity.ts";
import { startOfDay } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { meanOf, reasonsOf } from "../../../app/trust/standing.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Id } from "../../../convex/_generated/dataModel.js";
import { Badge } from "../../ui/Badge.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { DeviceStandings } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { standingWords } from "./check-words.ts";

/** How a device stands with each of its models, with the reasons. */
export function DeviceStanding({ deviceId }: { readonly deviceId: Id<"devices"> }): ReactNode {
  const session = useSession();
  // It changes slowly, so a moment of the day is enough.
  const now = useFromNow(startOfDay);
  const found = useQuery(api.console.fleet.checks.standings, { session, deviceId, now });
  return <StandingView found={found} />;
}

/** @param found undefined while it loads. */
export function StandingView({ found }: { readonly found: DeviceStandings | undefined }): ReactNode {
  if (found === undefined) return <SkeletonRows rows={2} />;
  const { models, heldMicro } = found;
  if (models.length === 0) {
    return <p className="text-muted">Nothing is known yet: no answer of this device was counted.</p>;
  }
  return (
    <>
      {heldMicro === 0n ? null : (
        <p className="mb-2">{formatCredits(heldMicro)} of its pay waits for checks.</p>
      )}
      <ul aria-label="Standing by model" className="divide-y divide-line">
        {models.map(({ modelId, standing }) => {
          const { tone, words } = standingWords(standing);
          return (
            <li key={modelId} className="grid gap-0.5 py-1.5">
              <span className="flex flex-wrap items-center gap-x-3">
                <span className="font-medium wrap-anywhere">{modelId}</span>
                <Badge tone={tone}>{words}</Badge>
                <span className="text-xs text-muted">
                  The next answer is right with a chance of {formatShare(meanOf(standing))}.
                </span>
              </span>
              <span className="text-xs text-muted">{reasonsOf(standing).join(" ")}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
