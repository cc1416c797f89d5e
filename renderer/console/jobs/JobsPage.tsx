import { usePaginatedQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import type { JobStatus } from "../../../app/jobs/states.ts";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useSession } from "../data/session-context.ts";
import { JobsView } from "./JobsView.tsx";

const pageSize = 25;

export function JobsPage(): ReactNode {
  const session = useSession();
  const [filter, setFilter] = useState<JobStatus | null>(null);
  const { results, status, loadMore } = usePaginatedQuery(
    api.admin.jobs,
    filter === null ? { session } : { session, status: filter },
    { initialNumItems: pageSize },
  );
  const cancel = useAct(api.admin.cancelJob);
  return (
    <JobsView
      jobs={status === "LoadingFirstPage" ? undefined : results}
      filter={filter}
      onFilter={setFilter}
      onCancel={({ jobId }) => void cancel({ jobId }, "The job is canceled.")}
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={status === "LoadingMore"}
    />
  );
}
