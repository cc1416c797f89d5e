import type { Bench } from "../bench.ts";
import { loadAtZero, measureContention } from "../contention/measure.ts";
import { none } from "../fleet/site.ts";
import { type SideName, sideNames } from "../side.ts";
import { barLines } from "../support/bars.ts";
import type { ProcessorTime } from "../support/processor-time.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { costBars, type CostFigures } from "./figures.ts";
import { measureIdleHour, measureWorkingHour } from "./hour.ts";
import { measureShortJobs } from "./short-jobs.ts";
import { measureStreams } from "./streams.ts";

/** The jobs whose processor time is measured. The counts before them take most of this benchmark's five minutes. */
const jobs = 1_000;
const withinMs = 10_000;

type Measured = { readonly [Name in SideName]: CostFigures };

/**
 * All parts that count run at the same time, each on its own backend. Processor time follows, one side after the
 * other, because this process takes part in it.
 */
export const costBench: Bench = {
  summary:
    "calls, documents, bytes and processor time of jobs, of working and idle hours, of streams, compared with the baseline",
  run: (_, say) =>
    withScratch(async (folder) => {
      say("counts short jobs, two minutes of work and of idleness, and two streams: five minutes");
      const [ours, baseline] = await Promise.all([countsOf("ours", folder), countsOf("baseline", folder)]);
      say(`measures the processor time of up to ${jobs} jobs on 200 workers without latency`);
      const cpuOf = async (name: SideName): Promise<ProcessorTime | null> =>
        (await measureContention(name, folder, none, { ...loadAtZero, jobs, withinMs })).cpuMsPerJob;
      const result = roundedNumbers<Measured>({
        ours: { ...ours, cpuMsPerJob: await cpuOf("ours") },
        baseline: { ...baseline, cpuMsPerJob: await cpuOf("baseline") },
      });
      return { json: result, text: text(result) };
    }),
};

async function countsOf(name: SideName, folder: string): Promise<Omit<CostFigures, "cpuMsPerJob">> {
  const [short, working, idle, streams] = await Promise.all([
    measureShortJobs(name, folder),
    measureWorkingHour(name, folder),
    measureIdleHour(name, folder),
    measureStreams(name, folder),
  ]);
  return { ...short, ...working, ...idle, ...streams };
}

const labels: readonly (readonly [Exclude<keyof CostFigures, "cpuMsPerJob">, string])[] = [
  ["callsPerJob", "calls for a short job"],
  ["docsWrittenPerJob", "documents written for it"],
  ["queryRunsPerJob", "runs of queries for it"],
  ["scheduledRunsPerJob", "scheduled runs for it"],
  ["docsWrittenPerWorkingHour", "documents written in an hour of work"],
  ["callsPerWorkingHour", "calls in that hour"],
  ["scheduledRunsPerWorkingHour", "scheduled runs in that hour"],
  ["rerunsPerHeartbeat", "runs of queries that a heartbeat causes"],
  ["callsPerIdleHour", "calls in an idle hour"],
  ["bytesPerTokenAt100", "bytes written per token of 100"],
  ["bytesPerTokenAt1000", "bytes written per token of 1,000"],
  ["bytesPerFurtherToken", "bytes written for a further token"],
];

const parts: readonly (readonly [keyof ProcessorTime, string])[] = [
  ["all", "ms of processor time for a job"],
  ["backend", "  of the backend"],
  ["workers", "  of the workers"],
  ["submitter", "  of the submitters"],
];

function text({ ours, baseline }: Measured): string {
  return [
    tableRow("", sideNames),
    ...labels.map(([name, label]) => tableRow(label, [ours[name], baseline[name]])),
    ...parts.map(([part, label]) =>
      tableRow(label, [ours.cpuMsPerJob?.[part] ?? "–", baseline.cpuMsPerJob?.[part] ?? "–"]),
    ),
    "",
    ...barLines(costBars(ours, baseline)),
  ].join("\n");
}
