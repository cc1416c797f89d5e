import type { Bar } from "../support/bars.ts";
import type { ProcessorTime } from "../support/processor-time.ts";

/** The cost of the queue's own work. */
export type CostFigures = {
  /** Mutations and actions of clients for a short job that nobody watches, including its submission. */
  readonly callsPerJob: number;
  readonly docsWrittenPerJob: number;
  /** Documents written for a device that works on one long job for an hour. */
  readonly docsWrittenPerWorkingHour: number;
  /** Runs of queries caused by one heartbeat, with a watcher of each job and with idle devices. */
  readonly rerunsPerHeartbeat: number;
  readonly callsPerIdleHour: number;
  /** Bytes of all documents written for a watched answer, per token. */
  readonly bytesPerTokenAt100: number;
  readonly bytesPerTokenAt1000: number;
  /** Runs of queries and of scheduled functions for the short job, which are not calls. */
  readonly queryRunsPerJob: number;
  readonly scheduledRunsPerJob: number;
  /** For the hour of work: the device's calls and the scheduled functions. */
  readonly callsPerWorkingHour: number;
  readonly scheduledRunsPerWorkingHour: number;
  /** The marginal cost of a token, between 100 and 1,000 tokens. */
  readonly bytesPerFurtherToken: number;
  /** Processor time of a short job, with 200 workers and no latency. Null outside Linux. */
  readonly cpuMsPerJob: ProcessorTime | null;
};

/**
 * The processor time of a job at commit 0776fdf, × the baseline's: the median of eight rounds, from 0.61 to 1.14. Each round ran
 * that commit's queue and backend, and the baseline on a later backend, one after the other, with the same load and warm-up.
 */
const processorTimeBefore = 0.91;

export function costBars(ours: CostFigures, baseline: CostFigures): readonly Bar[] {
  const processorTime =
    ours.cpuMsPerJob === null || baseline.cpuMsPerJob === null
      ? null
      : ours.cpuMsPerJob.all / baseline.cpuMsPerJob.all;
  const growth = ours.bytesPerTokenAt1000 / ours.bytesPerTokenAt100;
  return [
    { text: "calls per job: at most 3", value: String(ours.callsPerJob), met: ours.callsPerJob <= 3 },
    {
      text: "documents per working hour: at most 1/2 of the baseline's",
      value: `${(ours.docsWrittenPerWorkingHour / baseline.docsWrittenPerWorkingHour).toFixed(2)} ×`,
      met: ours.docsWrittenPerWorkingHour <= baseline.docsWrittenPerWorkingHour / 2,
    },
    {
      text: "query runs per heartbeat: none",
      value: String(ours.rerunsPerHeartbeat),
      met: ours.rerunsPerHeartbeat === 0,
    },
    {
      text: "calls in an idle hour: at most 60",
      value: String(ours.callsPerIdleHour),
      met: ours.callsPerIdleHour <= 60,
    },
    {
      text: "bytes per token at 1,000 tokens: at most 1.2 times those at 100",
      value: `${growth.toFixed(2)} ×`,
      met: growth <= 1.2,
    },
    {
      text: `processor time of a job: at most half of what it was at first (${processorTimeBefore} × the baseline's)`,
      value:
        processorTime === null
          ? "not measured"
          : `${(processorTime / processorTimeBefore).toFixed(2)} ×, ${processorTime.toFixed(2)} × the baseline's`,
      met: processorTime !== null && processorTime <= processorTimeBefore / 2,
    },
  ];
}
