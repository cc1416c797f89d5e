import type { Bar } from "../support/bars.ts";

export type ContentionFigures = {
  /** Commits of all functions that lost a conflict. */
  readonly conflictsPerJob: number;
  /** Failed calls of workers, which had lost every retry. */
  readonly failedClaims: number;
  /** Calls for work that returned no job. */
  readonly emptyClaims: number;
  /** From the first submission to the last completion. */
  readonly jobsPerSecond: number;
};

export function contentionBars(ours: ContentionFigures, baseline: ContentionFigures): readonly Bar[] {
  return [
    {
      text: "conflicts per job: at most 1/20 of the baseline's",
      value: `${ours.conflictsPerJob.toFixed(3)}, baseline ${baseline.conflictsPerJob.toFixed(2)}`,
      met: ours.conflictsPerJob <= baseline.conflictsPerJob / 20,
    },
    failedClaimsBar(ours),
    {
      text: "jobs per second: at least 5 times the baseline's",
      value: `${(ours.jobsPerSecond / baseline.jobsPerSecond).toFixed(1)} ×`,
      met: ours.jobsPerSecond >= 5 * baseline.jobsPerSecond,
    },
  ];
}

/** A queue that was full before its workers came. Each completion brings the next job, so there is less to win. */
export function queuedFirstBars(ours: ContentionFigures): readonly Bar[] {
  return [failedClaimsBar(ours)];
}

/** Without latency the processor is the limit, so a job's cost decides. */
export function zeroLatencyBars(ours: ContentionFigures, baseline: ContentionFigures): readonly Bar[] {
  return [
    failedClaimsBar(ours),
    {
      text: "jobs per second: at least 1.5 times the baseline's",
      value: `${(ours.jobsPerSecond / baseline.jobsPerSecond).toFixed(2)} ×`,
      met: ours.jobsPerSecond >= 1.5 * baseline.jobsPerSecond,
    },
  ];
}

function failedClaimsBar({ failedClaims }: ContentionFigures): Bar {
  return { text: "failed calls of workers: none", value: String(failedClaims), met: failedClaims === 0 };
}
