import type { ReactNode } from "react";
import type { JobStatus } from "../../../app/jobs/states.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/Empty.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { JobRow } from "../data/rows.ts";
import { JobsTable } from "./JobsTable.tsx";
import { jobFilters } from "./job-words.ts";

type Props = {
  readonly jobs: readonly JobRow[] | undefined;
  readonly filter: JobStatus | null;
  readonly onFilter: (filter: JobStatus | null) => void;
  readonly onCancel: (job: JobRow) => void;
  /** null when there is no more. */
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  readonly firstOpen?: string;
};

export function JobsView({
  jobs,
  filter,
  onFilter,
  onCancel,
  onMore,
  loadingMore,
  firstOpen,
}: Props): ReactNode {
  return (
    <div className="grid gap-3">
      <div role="group" aria-label="Show jobs that are" className="flex flex-wrap gap-1">
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
      <Card flush>
        {jobs === undefined ? (
          <SkeletonRows rows={8} />
        ) : jobs.length === 0 ? (
          <NoJobs filter={filter} />
        ) : (
          <JobsTable jobs={jobs} onCancel={onCancel} {...(firstOpen === undefined ? {} : { firstOpen })} />
        )}
        {onMore === null && !loadingMore ? null : (
          <div className="border-t border-line p-2 text-center">
            <Button look="quiet" disabled={onMore === null} onClick={() => onMore?.()}>
              {loadingMore ? "Loading…" : "Load more"}
            </Button>
          </div>
        )}
      </Card>
    </div>
  );
}

function NoJobs({ filter }: { readonly filter: JobStatus | null }): ReactNode {
  if (filter !== null) return <Empty title="None at the moment">No job stands so right now.</Empty>;
  return (
    <Empty
      title="No jobs yet"
      action={
        <a href="#/keys" className="font-medium text-accent underline underline-offset-2">
          Make an API key
        </a>
      }
    >
      Any OpenAI client can send some: it needs this server's address and an API key.
    </Empty>
  );
}
