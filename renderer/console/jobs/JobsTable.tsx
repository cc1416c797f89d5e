import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { JobRow } from "../data/rows.ts";
import { Attempts } from "./Attempts.tsx";
import { isOpen, jobWords } from "./job-words.ts";
import { JobDuration } from "./JobDuration.tsx";

type Props = {
  readonly jobs: readonly JobRow[];
  readonly onCancel?: (job: JobRow) => void;
  /** Actions of dead letters, in place of canceling. */
  readonly revival?: Revival;
  /** Hides the columns that only the jobs page has room for. */
  readonly compact?: boolean;
  /** Opened at first. For pages that show fixtures. */
  readonly firstOpen?: string;
};

export function JobsTable({ jobs, onCancel, revival, compact = false, firstOpen }: Props): ReactNode {
  const [open, setOpen] = useState<string | null>(firstOpen ?? null);
  const [canceling, setCanceling] = useState<JobRow | null>(null);
  const [discarding, setDiscarding] = useState<JobRow | null>(null);
  const toggle = (jobId: string): void => setOpen((current) => (current === jobId ? null : jobId));
  const columns = [
    statusColumn(open, toggle),
    ...(compact ? base.filter(({ key }) => key !== "key" && key !== "tokens") : base),
    ...(onCancel === undefined ? [] : [cancelColumn(setCanceling)]),
    ...(revival === undefined ? [] : [reviveColumn(revival.onRetry, setDiscarding)]),
  ];
  return (
    <>
      <Table
        label="Jobs"
        columns={columns}
        rows={jobs}
        keyOf={(job) => job.jobId}
        detail={(job) => (job.jobId === open ? <Attempts job={job} /> : null)}
      />
      <Confirm
        open={canceling !== null}
        title="Cancel this job?"
        action="Cancel the job"
        danger
        onConfirm={() => {
          if (canceling !== null) onCancel?.(canceling);
        }}
        onClose={() => setCanceling(null)}
      >
        The requester gets an error and the credits back, and the device stops working on it. You cannot undo
        this.
      </Confirm>
      <Confirm
        open={discarding !== null}
        title="Discard this job?"
        action="Discard"
        danger
        onConfirm={() => {
          if (discarding !== null) revival?.onDiscard(discarding);
        }}
        onClose={() => setDiscarding(null)}
      >
        The request is deleted, so it can't be retried. The failure stays in the history.
      </Confirm>
    </>
  );
}

export type Revival = {
  readonly onRetry: (job: JobRow) => void;
  readonly onDiscard: (job: JobRow) => void;
};

function statusColumn(open: string | null, toggle: (jobId: string) => void): Column<JobRow> {
  return {
    key: "status",
    title: "Status",
    width: "w-32",
    cell: (job) => (
      <button
        type="button"
        aria-expanded={job.jobId === open}
        aria-label={`${jobWords[job.status].words}, show attempts`}
        onClick={() => toggle(job.jobId)}
        className="flex items-center gap-1.5 rounded-full"
      >
        <span aria-hidden className="w-3 text-faint">
          {job.jobId === open ? "▾" : "▸"}
        </span>
        <Badge tone={jobWords[job.status].tone} dot busy={job.status === "running"}>
          {jobWords[job.status].words}
        </Badge>
      </button>
    ),
  };
}

const base: readonly Column<JobRow>[] = [
  {
    key: "model",
    title: "Model",
    // The kind has a line of its own. Beside the model it would push the last column out of a small window.
    cell: (job) => (
      <span className="grid whitespace-nowrap">
        <span className="font-medium">{job.model}</span>
        <span className="text-xs text-muted">{job.kind}</span>
      </span>
    ),
  },
  { key: "key", title: "API key", cell: (job) => <span className="whitespace-nowrap">{job.keyName}</span> },
  {
    key: "device",
    title: "Device",
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      if (last === undefined) return <span className="text-muted">–</span>;
      return (
        <span className="whitespace-nowrap">
          {last.deviceName}
          {attempts.length > 1 ? <span className="text-muted"> · attempt {attempts.length}</span> : null}
        </span>
      );
    },
  },
  {
    key: "submitted",
    title: "Submitted",
    width: "w-24",
    cell: (job) => <RelativeTime at={job.submittedAt} />,
  },
  { key: "took", title: "Took", align: "right", width: "w-24", cell: (job) => <JobDuration job={job} /> },
  {
    key: "tokens",
    title: "Tokens in / out",
    align: "right",
    width: "w-32",
    cell: ({ usage }) =>
      usage === null ? (
        <span className="text-muted">–</span>
      ) : (
        <span className="whitespace-nowrap">
          {formatCount(usage.promptTokens)} / {formatCount(usage.completionTokens)}
        </span>
      ),
  },
  {
    key: "price",
    title: "Price",
    align: "right",
    width: "w-28",
    cell: (job) =>
      job.priceMicro === null ? <span className="text-muted">–</span> : formatCredits(job.priceMicro),
  },
];

function cancelColumn(cancel: (job: JobRow) => void): Column<JobRow> {
  return {
    key: "actions",
    title: "",
    align: "right",
    width: "w-24",
    cell: (job) =>
      isOpen(job.status) ? (
        <Button size="sm" look="quiet" onClick={() => cancel(job)}>
          Cancel
        </Button>
      ) : null,
  };
}

function reviveColumn(retry: (job: JobRow) => void, discard: (job: JobRow) => void): Column<JobRow> {
  return {
    key: "actions",
    title: "",
    align: "right",
    width: "w-40",
    cell: (job) => (
      <span className="inline-flex gap-1">
        <Button size="sm" onClick={() => retry(job)}>
          Retry
        </Button>
        <Button size="sm" look="quiet" onClick={() => discard(job)}>
          Discard
        </Button>
      </span>
    ),
  };
}
