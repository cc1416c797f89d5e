import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useSession } from "../data/session-context.ts";
import type { JobFilter } from "./job-words.ts";
import { JobsView } from "./JobsView.tsx";
import { priorityNotice, retryAllNotice, retryNotice } from "./retry-words.ts";

const pageSize = 25;

export function JobsPage(): ReactNode {
  const session = useSession();
  const [filter, setFilter] = useState<JobFilter>(null);
  const dead = filter === "dead";
  const listed = usePaginatedQuery(
    api.console.jobs.list,
    dead ? "skip" : filter === null ? { session } : { session, status: filter },
    { initialNumItems: pageSize },
  );
  const letters = usePaginatedQuery(api.console.jobs.deadLetters, dead ? { session } : "skip", {
    initialNumItems: pageSize,
  });
  const { results, status, loadMore } = dead ? letters : listed;
  const cancel = useAct(api.console.jobs.cancel);
  const setPriority = useAct(api.console.jobs.setPriority);
  const retry = useAct(api.console.jobs.retryDeadLetter);
  const retryAll = useAct(api.console.jobs.retryDeadLetters);
  const discard = useAct(api.console.jobs.discardDeadLetter);
  return (
    <JobsView
      jobs={status === "LoadingFirstPage" ? undefined : results}
      filter={filter}
      onFilter={setFilter}
      onCancel={({ jobId }) => void cancel({ jobId }, "The job was canceled.")}
      onPriority={({ jobId }, priority) => void setPriority({ jobId, priority }, priorityNotice)}
      deadLetters={{
        onRetry: ({ jobId }) => void retry({ jobId }, retryNotice),
        onRetryAll: () => void retryAll({}, retryAllNotice),
        onDiscard: ({ jobId }) => void discard({ jobId }, "The job was discarded."),
      }}
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={status === "LoadingMore"}
    />
  );
}
