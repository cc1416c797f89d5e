import type { ReactNode } from "react";
import { explainPay } from "../../../../app/contract/sentences/pay-words.ts";
import { kindWords } from "../../../../app/format/job-kind.ts";
import { formatDuration } from "../../../../app/format/time.ts";
import { columnCredits, formatExactCredits } from "../../../../app/money/credits.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { Empty } from "../../../ui/Empty.tsx";
import { RelativeTime } from "../../../ui/RelativeTime.tsx";
import { attemptWords } from "../../../ui/status-words.ts";
import { type Column, Table } from "../../../ui/Table.tsx";
import type { DeviceAttempt } from "../../data/rows.ts";
import { hrefOf } from "../../shell/route.ts";

type Props = { readonly attempts: readonly DeviceAttempt[] | undefined; readonly linksJobs: boolean };

/** The jobs that a device took, newest first. */
export function DeviceAttempts({ attempts, linksJobs }: Props): ReactNode {
  return (
    <Table
      label="Last jobs"
      columns={columnsOf(linksJobs, columnCredits((attempts ?? []).map(({ earnedMicro }) => earnedMicro)))}
      rows={attempts}
      keyOf={({ attemptId }) => attemptId}
      empty={<Empty title="No jobs yet">The jobs that this device takes appear here.</Empty>}
    />
  );
}

const columnsOf = (
  linksJobs: boolean,
  credits: (micro: string) => string,
): readonly Column<DeviceAttempt>[] => [
  {
    key: "job",
    title: "Job",
    cell: ({ jobId, kind, modelId }) => (
      <div className="min-w-32 wrap-anywhere">
        {linksJobs && kind !== "replay" ? (
          <a href={hrefOf("jobs", jobId)} className="font-medium hover:underline">
            {kindWords(kind)}
          </a>
        ) : (
          <span className="font-medium">{kindWords(kind)}</span>
        )}
        <p className="text-xs text-muted">{modelId}</p>
      </div>
    ),
  },
  {
    key: "status",
    title: "Outcome",
    cell: (attempt) => (
      <div className="min-w-32">
        <Badge tone={attemptWords[attempt.status].tone} dot>
          {attemptWords[attempt.status].words}
        </Badge>
        <p className="text-xs text-muted">{explainPay(attempt, "others")}</p>
      </div>
    ),
  },
  {
    key: "started",
    title: "Started",
    width: "w-24",
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
  {
    key: "took",
    title: "Took",
    align: "right",
    width: "w-20",
    cell: ({ startedAt, endedAt }) => (endedAt === null ? "–" : formatDuration(endedAt - startedAt)),
  },
  {
    key: "earned",
    title: "Earned",
    align: "right",
    width: "w-24",
    cell: ({ earnedMicro }) => (
      <span title={`${formatExactCredits(earnedMicro)} credits`}>{credits(earnedMicro)}</span>
    ),
  },
];
