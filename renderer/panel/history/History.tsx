import type { ReactNode } from "react";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { attemptWords } from "../../ui/status-words.ts";

export function History({ rows }: { readonly rows: readonly HistoryRow[] }): ReactNode {
  if (rows.length === 0) {
    return (
      <Card>
        <Empty title="No jobs yet">
          Each job of this computer appears here, with its earnings and their calculation.
        </Empty>
      </Card>
    );
  }
  return (
    <Card flush>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <Row key={row.attemptId} row={row} />
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Prices are per token, in millionths of a credit.
      </p>
    </Card>
  );
}

function Row({ row }: { readonly row: HistoryRow }): ReactNode {
  const status = attemptWords[row.status];
  const tokens = row.promptTokens + row.completionTokens;
  return (
    <li className="grid gap-0.5 px-4 py-2.5">
      <div className="flex items-center justify-between gap-3">
        <span className="flex min-w-0 items-center gap-2">
          <Badge tone={status.tone} dot busy={row.status === "running"}>
            {status.words}
          </Badge>
          <span className="truncate font-medium">{row.modelId}</span>
          <span className="text-xs text-muted">{kindWords(row.kind)}</span>
        </span>
        <span className="font-medium">
          {row.earnedMicro === "0" ? "–" : `+${formatCredits(row.earnedMicro)}`}
        </span>
      </div>
      <div className="flex items-start justify-between gap-3 text-xs text-muted">
        <span className="whitespace-nowrap">
          <RelativeTime at={row.endedAt ?? row.startedAt} />
          {row.endedAt === null ? null : ` · ${formatDuration(row.endedAt - row.startedAt)}`}
          {tokens === 0 ? null : ` · ${formatCount(tokens)} tokens`}
        </span>
        <span className="text-right">{row.explanation}</span>
      </div>
    </li>
  );
}
