import type { ReactNode } from "react";
import { explainPay } from "../../../app/contract/sentences/pay-words.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatDuration, formatMoment } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { attemptWords } from "../../ui/status-words.ts";

/** A job on two lines. It has no controls of its own, since the list has the focus. */
export function JobRow({ row }: { readonly row: HistoryRow }): ReactNode {
  const { status, startedAt, endedAt, earnedMicro } = row;
  const { tone, words } = attemptWords[status];
  const tokens = row.promptTokens + row.completionTokens;
  const moment = useFromNow((now) => formatMoment(endedAt ?? startedAt, now));
  return (
    <div className="grid h-full grid-cols-1 content-center gap-0.5 px-4">
      <div className="flex items-center justify-between gap-3">
        <span className="flex min-w-0 items-center gap-2">
          <span className="shrink-0">
            <Badge tone={tone} dot busy={status === "running"}>
              {words}
            </Badge>
          </span>
          <span className="truncate font-medium">{row.modelId}</span>
          <span className="shrink-0 text-xs text-muted">{kindWords(row.kind)}</span>
        </span>
        <span className="shrink-0 font-medium">
          {earnedMicro === "0" ? "–" : `+${formatCredits(earnedMicro)}`}
        </span>
      </div>
      <div className="flex justify-between gap-3 text-xs text-muted">
        <span className="shrink-0">
          {moment}
          {endedAt === null ? null : ` · ${formatDuration(endedAt - startedAt)}`}
          {tokens === 0 ? null : ` · ${plural(tokens, ["# token", "# tokens"])}`}
        </span>
        {/* The calculation of a pay is in the detail, where it has room. */}
        <span className="truncate">{earnedMicro === "0" ? explainPay(row) : null}</span>
      </div>
    </div>
  );
}
