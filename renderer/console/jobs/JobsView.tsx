import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import type { JobRow } from "../data/rows.ts";
import { type JobFilter, jobFilters } from "./job-words.ts";
import { type DeadLetterActions, JobsTable } from "./JobsTable.tsx";

type Props = {
  readonly jobs: readonly JobRow[] | undefined;
  readonly filter: JobFilter;
  readonly onFilter: (filter: JobFilter) => void;
  readonly onCancel: (job: JobRow) => void;
  readonly onPriority: (job: JobRow, priority: JobRow["priority"]) => void;
  readonly deadLetters: DeadLetterActions & { readonly onRetryAll: () => void };
  /** Null when all are loaded. */
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  readonly initialJobId?: string;
};

export function JobsView({
  jobs,
  filter,
  onFilter,
  onCancel,
  onPriority,
  deadLetters,
  onMore,
  loadingMore,
  initialJobId,
}: Props): ReactNode {
  return (
    <div className="grid gap-3">
      <div role="group" aria-label="Filter by status" className="flex flex-wrap gap-1">
        {jobFilters.map(({ value, label }) => (
          <button
            key={label}
            type="button"
            aria-pressed={value === filter}
            onClick={() => onFilter(value)}
            className={cx(
              "h-7 rounded-full border px-3 text-xs font-medium",
              value === filter
                ? "border-transparent bg-accent-tint text-accent"
                : "border-line bg-surface text-muted hover:text-ink",
            )}
          >
            {label}
          </button>
        ))}
      </div>
      <Card
        flush
        {...(filter === "dead"
          ? {
              title: "Failed or expired",
              aside: <RetryAll jobs={jobs} onRetryAll={deadLetters.onRetryAll} />,
            }
          : {})}
      >
        <JobsTable
          jobs={jobs}
          empty={<NoJobs filter={filter} />}
          {...(filter === "dead" ? { deadLetters } : { onCancel, onPriority })}
          {...(initialJobId === undefined ? {} : { initialJobId })}
        />
        <LoadMore onMore={onMore} loading={loadingMore} />
      </Card>
    </div>
  );
}

type RetryAllProps = Pick<Props, "jobs"> & { readonly onRetryAll: () => void };

function RetryAll({ jobs, onRetryAll }: RetryAllProps): ReactNode {
  return (
    <Button size="sm" disabled={jobs === undefined || jobs.length === 0} onClick={onRetryAll}>
      Retry all
    </Button>
  );
}

function NoJobs({ filter }: { readonly filter: JobFilter }): ReactNode {
  if (filter === "dead") {
    return (
      <Empty title="No failed or expired jobs">
        Jobs that failed permanently or missed their deadline stay here for a day. You can retry them.
      </Empty>
    );
  }
  if (filter !== null) return <Empty title="No jobs with this status" />;
  return (
    <Empty
      title="No jobs yet"
      action={
        <a href="#/keys" className="font-medium text-accent underline underline-offset-2">
          Create an API key
        </a>
      }
    >
      Any OpenAI client can send jobs. It needs this server's address and an API key.
    </Empty>
  );
}
