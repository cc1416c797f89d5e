import type { AttemptStatus, JobStatus } from "../../../app/jobs/states.ts";
import type { Tone } from "../../ui/tone.ts";

type Words = { readonly tone: Tone; readonly words: string };

export const jobWords: Readonly<Record<JobStatus, Words>> = {
  ready: { tone: "hold", words: "Waiting" },
  running: { tone: "good", words: "Running" },
  succeeded: { tone: "good", words: "Done" },
  failed: { tone: "bad", words: "Failed" },
  canceled: { tone: "quiet", words: "Canceled" },
};

export const attemptWords: Readonly<Record<AttemptStatus, Words>> = {
  running: { tone: "good", words: "running" },
  succeeded: { tone: "good", words: "done" },
  failed: { tone: "bad", words: "failed" },
  released: { tone: "hold", words: "given back" },
  lost: { tone: "bad", words: "device lost" },
  canceled: { tone: "quiet", words: "canceled" },
};

export const jobFilters: readonly { readonly value: JobStatus | null; readonly label: string }[] = [
  { value: null, label: "All" },
  { value: "ready", label: "Waiting" },
  { value: "running", label: "Running" },
  { value: "succeeded", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "canceled", label: "Canceled" },
];
