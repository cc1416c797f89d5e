import { type ReactNode, useState } from "react";
import { kindWords } from "../../../app/format/job-kind.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration, formatFull } from "../../../app/format/time.ts";
import { noRetryHelps } from "../../../app/jobs/mendable.ts";
import { columnCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useNow } from "../../ui/clock.ts";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Tooltip } from "../../ui/overlays/Tooltip.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { JobRow } from "../data/rows.ts";
import { RatingMark } from "../ratings/RatingMark.tsx";
import { hrefOf } from "../shell/route.ts";
import { jobWords, spansOf, waitWords } from "./job-words.ts";

export type DeadLetterActions = {
  readonly onRetry: (job: JobRow) => void;
  readonly onDiscard: (job: JobRow) => void;
};

export type Selection = {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (jobId: string) => void;
};

type Props = {
  readonly jobs: readonly JobRow[] | undefined;
  readonly empty: ReactNode;
  readonly selection?: Selection;
  readonly deadLetters?: DeadLetterActions;
  /** Hides the columns that only the jobs page has room for. */
  readonly compact?: boolean;
};

export function JobsTable({ jobs, empty, selection, deadLetters, compact = false }: Props): ReactNode {
  const [discarding, setDiscarding] = useState<JobRow | null>(null);
  const columns = [
    ...(selection === undefined ? [] : [selectColumn(selection)]),
    ...[...base, priceColumn(jobs ?? [])].filter(
      ({ key }) => !(compact ? wide : deadLetters === undefined ? [] : ofAnswers).includes(key),
    ),
    ...(deadLetters === undefined ? [] : [deadLetterColumn(deadLetters.onRetry, setDiscarding)]),
  ];
  return (
    <>
      <Table label="Jobs" columns={columns} rows={jobs} keyOf={(job) => job.jobId} empty={empty} />
      {discarding === null ? null : (
        <Confirm
          title="Discard this job?"
          action="Discard"
          danger
          onConfirm={() => deadLetters?.onDiscard(discarding)}
          onClose={() => setDiscarding(null)}
        >
          After eight seconds the request is deleted, so it can't be retried. Until then you can undo this.
          The failure stays in the history.
        </Confirm>
      )}
    </>
  );
}

function selectColumn({ ids, toggle }: Selection): Column<JobRow> {
  return {
    key: "select",
    title: "Select",
    isTitleHidden: true,
    width: "w-8",
    cell: (job) => (
      <input
        type="checkbox"
        aria-label={`Select job ${job.jobId}`}
        checked={ids.has(job.jobId)}
        onChange={() => toggle(job.jobId)}
        className="size-4 accent-accent"
      />
    ),
  };
}

const wide: readonly string[] = ["key", "tokens", "price"];
/** A dead letter has no answer, and its buttons need the room. */
const ofAnswers: readonly string[] = ["tokens", "price"];

const base: readonly Column<JobRow>[] = [
  { key: "status", title: "Status", width: "w-60", cell: (job) => <Status job={job} /> },
  {
    key: "model",
    title: "Job",
    // On its own line: next to the model, the kind would push the last column out of a small window.
    cell: (job) => (
      <div className="max-w-32 whitespace-nowrap 2xl:max-w-80">
        <a
          href={hrefOf("jobs", job.jobId)}
          title={job.jobId}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {job.model}
        </a>
        <p className="truncate text-xs text-muted">
          {kindWords(job.kind)}
          {job.priority === "normal" ? "" : `, ${job.priority === "high" ? "high priority" : "low priority"}`}
        </p>
      </div>
    ),
  },
  {
    key: "key",
    title: "API key",
    cell: ({ keyId, keyName }) => (
      <Name name={keyName} href={keyId === null ? null : hrefOf("keys", keyId)} />
    ),
  },
  {
    key: "device",
    title: "Device",
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      if (last === undefined) return <Dash />;
      const { deviceId, deviceName, number } = last;
      return (
        <>
          <Name name={deviceName} href={deviceId === null ? null : hrefOf("devices", deviceId)} />
          {number > 1 ? <p className="text-xs text-muted">attempt {number}</p> : null}
        </>
      );
    },
  },
  {
    key: "submitted",
    title: "Submitted",
    width: "w-20",
    cell: (job) => <RelativeTime at={job.submittedAt} />,
  },
  { key: "waited", title: "Waited", align: "right", width: "w-16", cell: (job) => <Waited job={job} /> },
  { key: "ran", title: "Ran", align: "right", width: "w-16", cell: (job) => <Ran job={job} /> },
  {
    key: "tokens",
    title: "Tokens",
    align: "right",
    width: "w-20",
    cell: ({ usage }) =>
      usage === null ? (
        <Dash />
      ) : (
        <span
          className="whitespace-nowrap"
          title={`${formatCount(usage.promptTokens)} read, ${formatCount(usage.completionTokens)} written`}
        >
          {formatCount(usage.promptTokens)} in
          <br />
          {formatCount(usage.completionTokens)} out
        </span>
      ),
  },
];

function priceColumn(jobs: readonly JobRow[]): Column<JobRow> {
  const credits = columnCredits(jobs.map(({ priceMicro }) => priceMicro));
  return {
    key: "price",
    title: "Price",
    align: "right",
    width: "w-24",
    cell: ({ ownJob, priceMicro }) =>
      ownJob ? (
        <Tooltip text="A device of the key's owner did this job. It costs nothing and earns nothing.">
          <span tabIndex={0} className="text-muted">
            own job
          </span>
        </Tooltip>
      ) : priceMicro === null ? (
        <Dash />
      ) : (
        <span className="whitespace-nowrap" title={`${formatExactCredits(priceMicro)} credits`}>
          {credits(priceMicro)}
        </span>
      ),
  };
}

/** The status, and below it why the job waits or failed. */
function Status({ job }: { readonly job: JobRow }): ReactNode {
  const { tone, words } = jobWords[job.status];
  const now = useNow();
  const hopeless = job.status === "failed" ? noRetryHelps(job.error) : null;
  return (
    <div className="max-w-56 min-w-28">
      <Badge tone={tone} dot busy={job.status === "running"}>
        {words}
      </Badge>
      <RatingMark rating={job.rated} />
      {job.wait === null ? null : <p className="text-xs text-muted">{waitWords(job.wait, now)}</p>}
      {hopeless === null ? null : <p className="text-xs text-muted">{hopeless}</p>}
    </div>
  );
}

function deadLetterColumn(retry: (job: JobRow) => void, discard: (job: JobRow) => void): Column<JobRow> {
  return actionColumn("w-33", (job) => (
    <>
      {noRetryHelps(job.error) === null ? (
        <RowAction verb="Retry" object={`job ${job.jobId}`} look="plain" onClick={() => retry(job)} />
      ) : null}
      <RowAction verb="Discard" object={`job ${job.jobId}`} onClick={() => discard(job)} />
    </>
  ));
}

/** A name in one line, shortened if it is long. */
function Name({ name, href }: { readonly name: string; readonly href: string | null }): ReactNode {
  const look = "block max-w-32 truncate 2xl:max-w-72";
  if (href === null) {
    return (
      <span className={look} title={name}>
        {name}
      </span>
    );
  }
  return (
    <a href={href} title={name} className={`${look} hover:text-accent hover:underline`}>
      {name}
    </a>
  );
}

function Dash(): ReactNode {
  return <span className="text-muted">–</span>;
}

function Waited({ job }: { readonly job: JobRow }): ReactNode {
  const { waitedMs } = spansOf(job, useNow());
  const end = job.startedAt ?? job.finishedAt;
  return (
    <span
      className={end === null ? "whitespace-nowrap text-muted" : "whitespace-nowrap"}
      title={`${formatFull(job.submittedAt)} – ${end === null ? /* @wc-include */ "now" : formatFull(end)}`}
    >
      {formatDuration(waitedMs)}
    </span>
  );
}

function Ran({ job }: { readonly job: JobRow }): ReactNode {
  const { ranMs } = spansOf(job, useNow());
  if (ranMs === null || job.startedAt === null) return <Dash />;
  return (
    <span
      className={job.finishedAt === null ? "whitespace-nowrap text-muted" : "whitespace-nowrap"}
      title={`${formatFull(job.startedAt)} – ${job.finishedAt === null ? /* @wc-include */ "now" : formatFull(job.finishedAt)}`}
    >
      {formatDuration(ranMs)}
    </span>
  );
}
