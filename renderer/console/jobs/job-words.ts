import type { JobStatus } from "../../../app/jobs/states.ts";
import type { StatusWords } from "../../ui/status-words.ts";
import type { JobRow } from "../data/rows.ts";

export const jobWords: Readonly<Record<JobStatus, StatusWords>> = {
  waiting: { tone: "hold", words: "Waiting" },
  ready: { tone: "hold", words: "Ready" },
  prefetched: { tone: "hold", words: "Assigned" },
  running: { tone: "good", words: "Running" },
  succeeded: { tone: "good", words: "Done" },
  failed: { tone: "bad", words: "Failed" },
  canceled: { tone: "quiet", words: "Canceled" },
  expired: { tone: "bad", words: "Expired" },
};

/** Explains what a waiting job waits for. */
export const waitWords: Readonly<Record<NonNullable<JobRow["waitsFor"]>, string>> = {
  time: "Waiting for its start time or its next retry.",
  jobs: "Waiting for other jobs to finish.",
  turn: "Waiting for its turn: its API key already runs as many jobs as its limit allows.",
};

/** Filters the jobs: all, one status, or the failed and expired ones that can be retried. */
export type JobFilter = JobStatus | "dead" | null;

export const jobFilters: readonly { readonly value: JobFilter; readonly label: string }[] = [
  { value: null, label: "All" },
  ...(Object.keys(jobWords) as JobStatus[]).map((value) => ({ value, label: jobWords[value].words })),
  { value: "dead", label: "Failed or expired" },
];

/** Whether no device has started the job yet. */
export function isQueued(status: JobStatus): boolean {
  return status === "waiting" || status === "ready" || status === "prefetched";
}

export function isOpen(status: JobStatus): boolean {
  return isQueued(status) || status === "running";
}
