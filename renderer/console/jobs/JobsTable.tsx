import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { JobRow } from "../data/rows.ts";
import { Attempts } from "./Attempts.tsx";
import { isOpen, jobWords } from "./job-words.ts";

export type DeadLetterActions = {
  readonly onRetry: (job: JobRow) => void;
  readonly onDiscard: (job: JobRow) => void;
};

type Props = {
  readonly jobs: readonly JobRow[] | undefined;
  readonly empty: ReactNode;
  readonly onCancel?: (job: JobRow) => void;
  readonly onPriority?: (job: JobRow, priority: JobRow["priority"]) => void;
  readonly deadLetters?: DeadLetterActions;
  /** Hides the columns that only the jobs page has room for. */
  readonly compact?: boolean;
  /** The job whose attempts are shown at first. For the gallery. */
  readonly initialJobId?: string;
};

export function JobsTable(props: Props): ReactNode {
  const { jobs, empty, onCancel, onPriority, deadLetters, compact = false, initialJobId } = props;
  const [open, setOpen] = useState<string | null>(initialJobId ?? null);
  const [canceling, setCanceling] = useState<JobRow | null>(null);
  const [discarding, setDiscarding] = useState<JobRow | null>(null);
  const toggle = (jobId: string): void => setOpen((current) => (current === jobId ? null : jobId));
  const columns = [
    statusColumn(open, toggle),
    ...(compact ? base.filter(({ key }) => key !== "key" && key !== "tokens") : base),
    ...(onCancel === undefined ? [] : [cancelColumn(setCanceling)]),
    ...(deadLetters === undefined ? [] : [deadLetterColumn(deadLetters.onRetry, setDiscarding)]),
  ];
  return (
    <>
      <Table
        label="Jobs"
        columns={columns}
        rows={jobs}
        keyOf={(job) => job.jobId}
        detail={(job) => (job.jobId === open ? <Attempts job={job} onPriority={onPriority} /> : null)}
        empty={empty}
      />
      {canceling === null ? null : (
        <Confirm
          title="Cancel this job?"
          action="Cancel job"
          cancel="Keep job"
          danger
          onConfirm={() => onCancel?.(canceling)}
          onClose={() => setCanceling(null)}
        >
          The requester gets an error and the credits back, and the device stops working on it. You cannot
          undo this.
        </Confirm>
      )}
      {discarding === null ? null : (
        <Confirm
          title="Discard this job?"
          action="Discard"
          danger
          onConfirm={() => deadLetters?.onDiscard(discarding)}
          onClose={() => setDiscarding(null)}
        >
          The request is deleted, so it can't be retried. The failure stays in the history.
        </Confirm>
      )}
    </>
  );
}

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
    // On its own line: next to the model, the kind would push the last column out of a small window.
    cell: (job) => (
      <div className="max-w-44 whitespace-nowrap 2xl:max-w-80">
        <p className="truncate font-medium" title={job.model}>
          {job.model}
        </p>
        <p className="text-xs text-muted">{job.kind}</p>
      </div>
    ),
  },
  { key: "key", title: "API key", cell: (job) => <Name name={job.keyName} /> },
  {
    key: "device",
    title: "Device",
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      if (last === undefined) return <span className="text-muted">–</span>;
      return (
        <>
          <Name name={last.deviceName} />
          {attempts.length > 1 ? <p className="text-xs text-muted">attempt {attempts.length}</p> : null}
        </>
      );
    },
  },
  {
    key: "submitted",
    title: "Submitted",
    width: "w-24",
    cell: (job) => <RelativeTime at={job.submittedAt} />,
  },
  {
    key: "duration",
    title: "Duration",
    align: "right",
    width: "w-24",
    cell: (job) => <Duration job={job} />,
  },
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
  return actionColumn("w-16", (job) =>
    isOpen(job.status) ? (
      <Button size="sm" look="quiet" onClick={() => cancel(job)}>
        Cancel
      </Button>
    ) : null,
  );
}

function deadLetterColumn(retry: (job: JobRow) => void, discard: (job: JobRow) => void): Column<JobRow> {
  return actionColumn("w-33", (job) => (
    <>
      <Button size="sm" onClick={() => retry(job)}>
        Retry
      </Button>
      <Button size="sm" look="quiet" onClick={() => discard(job)}>
        Discard
      </Button>
    </>
  ));
}

/** A name in one line, shortened if it is long. */
function Name({ name }: { readonly name: string }): ReactNode {
  return (
    <span className="block max-w-36 truncate 2xl:max-w-72" title={name}>
      {name}
    </span>
  );
}

/** The time from submission to end, or until now: the requester's wait. */
function Duration({ job }: { readonly job: JobRow }): ReactNode {
  const now = useNow();
  if (job.finishedAt !== null) {
    return <span className="whitespace-nowrap">{formatDuration(job.finishedAt - job.submittedAt)}</span>;
  }
  const seconds = Math.max(0, Math.floor((now - job.submittedAt) / 1_000));
  return <span className="whitespace-nowrap text-muted">{formatDuration(seconds * 1_000)}</span>;
}
