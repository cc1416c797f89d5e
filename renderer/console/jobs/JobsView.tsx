import { type ReactNode, useState } from "react";
import { noRetryHelps } from "../../../app/jobs/mendable.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { JobRow } from "../data/rows.ts";
import { type ApplyBulk, BulkBar } from "./BulkBar.tsx";
import type { JobFilter } from "./job-words.ts";
import { JobFilters, type JobFilterState } from "./JobFilters.tsx";
import { type DeadLetterActions, JobsTable } from "./JobsTable.tsx";

type Props = {
  readonly jobs: readonly JobRow[] | undefined;
  readonly filters: JobFilterState;
  /** Null for those who may change no jobs. */
  readonly onBulk: ApplyBulk | null;
  readonly deadLetters: (DeadLetterActions & { readonly onRetryAll: (() => void) | null }) | null;
  /** Null when all are loaded. */
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  /** The jobs that are selected at first. For the gallery. */
  readonly initialIds?: readonly string[];
};

export function JobsView(props: Props): ReactNode {
  const { jobs, filters, onBulk, deadLetters, onMore, loadingMore, initialIds = [] } = props;
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set(initialIds));
  const isDead = filters.status === "dead";
  const selected = (jobs ?? []).filter(({ jobId }) => ids.has(jobId));
  const toggle = (jobId: string): void =>
    setIds((now) => new Set(now.has(jobId) ? [...now].filter((id) => id !== jobId) : [...now, jobId]));
  const head =
    isDead && deadLetters !== null && deadLetters.onRetryAll !== null
      ? {
          title: "Failed or expired",
          aside: <RetryAll jobs={jobs} onRetryAll={deadLetters.onRetryAll} />,
        }
      : {};
  return (
    <div className="grid gap-3">
      <JobFilters {...filters} />
      <Card flush {...head}>
        {onBulk === null || jobs === undefined || jobs.length === 0 ? null : (
          <BulkBar
            selected={selected}
            onAll={
              selected.length === jobs.length ? null : () => setIds(new Set(jobs.map(({ jobId }) => jobId)))
            }
            onApply={(change, changed) => {
              onBulk(change, changed);
              setIds(new Set());
            }}
            onClear={() => setIds(new Set())}
          />
        )}
        <JobsTable
          jobs={jobs}
          empty={<NoJobs filters={filters} />}
          {...(onBulk === null ? {} : { selection: { ids, toggle } })}
          {...(isDead && deadLetters !== null ? { deadLetters } : {})}
        />
        <LoadMore onMore={onMore} loading={loadingMore} />
      </Card>
    </div>
  );
}

type RetryAllProps = Pick<Props, "jobs"> & { readonly onRetryAll: () => void };

function RetryAll({ jobs, onRetryAll }: RetryAllProps): ReactNode {
  const [asked, setAsked] = useState(false);
  const none = jobs?.some((job) => noRetryHelps(job.error) === null) !== true;
  return (
    <>
      <Button size="sm" disabled={none} onClick={() => setAsked(true)}>
        Retry all…
      </Button>
      {asked ? (
        <Confirm
          title="Retry all failed and expired jobs?"
          action="Retry all"
          onConfirm={onRetryAll}
          onClose={() => setAsked(false)}
        >
          They wait for a device again, also those that are not shown here, and their keys are charged again.
          Jobs whose keys cannot pay, or whose request itself causes the error, stay as they are.
        </Confirm>
      ) : null}
    </>
  );
}

function NoJobs({ filters }: Pick<Props, "filters">): ReactNode {
  const { status, model, keyId, deviceId, batchId, from, to } = filters;
  if (status === "dead") {
    return (
      <Empty title="No failed or expired jobs">
        Jobs that failed permanently or missed their deadline stay here for a day. You can retry them.
      </Empty>
    );
  }
  const set = [model, keyId, deviceId, batchId, from, to].filter(([value]) => value !== "");
  if (set.length > 0) {
    return (
      <Empty
        title="No jobs match these filters"
        action={
          <Button
            onClick={() => {
              for (const [, change] of set) change("");
            }}
          >
            Clear filters
          </Button>
        }
      />
    );
  }
  return <NoJobsYet filter={status} />;
}

function NoJobsYet({ filter }: { readonly filter: JobFilter }): ReactNode {
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
