import type { ReactNode } from "react";
import { formatClock, formatDuration } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { attemptWords } from "../../ui/status-words.ts";
import type { JobRow } from "../data/rows.ts";
import { isQueued, waitWords } from "./job-words.ts";

const priorities = ["high", "normal", "low"] as const;
const priorityOptions = priorities.map((value) => ({ value, label: value }));

type Props = {
  readonly job: JobRow;
  readonly onPriority?: ((job: JobRow, priority: JobRow["priority"]) => void) | undefined;
};

export function Attempts({ job, onPriority }: Props): ReactNode {
  return (
    <div className="grid gap-2 rounded-md bg-sunken px-4 py-3">
      {job.attempts.length === 0 ? <p className="text-muted">No device has taken this job yet.</p> : null}
      <ol className="grid gap-1.5">
        {job.attempts.map((attempt) => (
          <li key={attempt.number} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="w-18 text-muted">Attempt {attempt.number}</span>
            <span className="min-w-36 font-medium">{attempt.deviceName}</span>
            <Badge tone={attemptWords[attempt.status].tone}>{attemptWords[attempt.status].words}</Badge>
            <span className="text-xs text-muted">
              {formatClock(attempt.startedAt)}
              {attempt.endedAt === null ? "" : `, ${formatDuration(attempt.endedAt - attempt.startedAt)}`}
            </span>
          </li>
        ))}
      </ol>
      {job.waitsFor === null ? null : <p className="text-muted">{waitWords[job.waitsFor]}</p>}
      {onPriority !== undefined && isQueued(job.status) ? (
        <label className="grid max-w-48 grid-cols-[auto_1fr] items-center gap-3 text-muted">
          Priority
          <SelectBox
            value={job.priority}
            options={priorityOptions}
            onChange={(value) => {
              const chosen = priorities.find((each) => each === value);
              if (chosen !== undefined) onPriority(job, chosen);
            }}
          />
        </label>
      ) : job.priority === "normal" ? null : (
        <p className="text-muted">Priority: {job.priority}</p>
      )}
      {job.error === null ? null : (
        <p className="text-bad">
          {job.error.message} <span className="text-xs">({job.error.code})</span>
        </p>
      )}
      <p className="font-mono text-xs text-muted select-all">{job.jobId}</p>
    </div>
  );
}
