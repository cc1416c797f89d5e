import type { AttemptStatus, JobStatus } from "../../../app/jobs/states.ts";
import type { Tone } from "../../ui/tone.ts";
import type { JobRow } from "../data/rows.ts";

type Words = { readonly tone: Tone; readonly words: string };

export const jobWords: Readonly<Record<JobStatus, Words>> = {
  waiting: { tone: "hold", words: "Waiting" },
  ready: { tone: "hold", words: "Ready" },
  prefetched: { tone: "hold", words: "Handed out" },
  running: { tone: "good", words: "Running" },
  succeeded: { tone: "good", words: "Done" },
  failed: { tone: "bad", words: "Failed" },
  canceled: { tone: "quiet", words: "Canceled" },
  expired: { tone: "bad", words: "Expired" },
};

/** Explains what a waiting job waits for. */
export const waitWords: Readonly<Record<NonNullable<JobRow["waitsFor"]>, string>> = {
  time: "for its time: it is due later, or will be retried after a pause",
  jobs: "for other jobs to end",
  turn: "for its turn: its key runs as many jobs as its limit allows",
};

export const attemptWords: Readonly<Record<AttemptStatus, Words>> = {
  prefetched: { tone: "hold", words: "next in line" },
  running: { tone: "good", words: "running" },
  succeeded: { tone: "good", words: "done" },
  failed: { tone: "bad", words: "failed" },
  released: { tone: "hold", words: "given back" },
  stolen: { tone: "quiet", words: "taken by another" },
  lost: { tone: "bad", words: "device lost" },
  canceled: { tone: "quiet", words: "canceled" },
  expired: { tone: "quiet", words: "too late" },
};

/** Filters the jobs: all, one status, or dead letters, which can be retried. */
export type JobFilter = JobStatus | "dead" | null;

export const jobFilters: readonly { readonly value: JobFilter; readonly label: string }[] = [
  { value: null, label: "All" },
  { value: "waiting", label: "Waiting" },
  { value: "ready", label: "Ready" },
  { value: "prefetched", label: "Handed out" },
  { value: "running", label: "Running" },
  { value: "succeeded", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "canceled", label: "Canceled" },
  { value: "expired", label: "Expired" },
  { value: "dead", label: "Dead letters" },
];

export function isOpen(status: JobStatus): boolean {
  return status === "waiting" || status === "ready" || status === "prefetched" || status === "running";
}
