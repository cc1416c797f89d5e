import type { ReactNode } from "react";
import { formatDuration } from "../../../app/format/time.ts";
import { useNow } from "../../ui/clock.ts";
import type { JobRow } from "../data/rows.ts";

/** The time from submission to end, or until now: the requester's wait. */
export function JobDuration({ job }: { readonly job: JobRow }): ReactNode {
  const now = useNow();
  if (job.finishedAt !== null) {
    return <span className="whitespace-nowrap">{formatDuration(job.finishedAt - job.submittedAt)}</span>;
  }
  const seconds = Math.max(0, Math.floor((now - job.submittedAt) / 1_000));
  return <span className="whitespace-nowrap text-muted">{formatDuration(seconds * 1_000)}</span>;
}
