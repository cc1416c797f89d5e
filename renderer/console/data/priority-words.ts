import type { JobPriority } from "../../../app/jobs/priority.ts";

export const priorityWords: Readonly<Record<JobPriority, string>> = {
  low: "Low",
  normal: "Normal",
  high: "High",
};
