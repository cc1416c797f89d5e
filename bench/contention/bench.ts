import type { Bench } from "../bench.ts";
import { cloud, type Latency, none } from "../fleet/site.ts";
import { type SideName, sideNames } from "../side.ts";
import type { Collisions } from "../support/admin.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { contentionBars, queuedFirstBars, zeroLatencyBars } from "./figures.ts";
import { type ContentionRun, type Load, loadAtZero, measureContention, usualLoad } from "./measure.ts";

/**
 * A queue that is full before its workers come. Each completion brings the next job.
 * @param slowest jobs per second of the slower side. It has jobs for about 20 s.
 */
function loadQueued(slowest: number): Load {
  const jobs = Math.round(Math.min(2_000, Math.max(400, 20 * slowest)));
  return { ...usualLoad, jobs, withinMs: 20_000, queuedFirst: true };
}

/** Many workers and many short jobs: the cost of contention between claims. */
export const contentionBench: Bench = {
  summary:
    "200 workers, up to 5,000 jobs of 20 ms: conflicts, failures, jobs per second, compared with the baseline",
  run: (_, say) =>
    withScratch(async (folder) => {
      const all = async (latency: Latency, load: Load): Promise<Measured> => {
        const of = async (name: SideName): Promise<ContentionRun> => {
          say(`${name}: ${describe(load)}, ${latency.readMs} ms a read, ${latency.commitMs} ms a commit`);
          const measured = roundedNumbers(await measureContention(name, folder, latency, load));
          say(`  ${measured.jobsPerSecond} jobs/s, ${measured.conflictsPerJob} conflicts per job`);
          return measured;
        };
        // One after the other, because they would compete for the processor.
        return { ours: await of("ours"), baseline: await of("baseline"), latency, load };
      };
      const usual = await all(cloud, usualLoad);
      const slowest = Math.min(...sideNames.map((name) => usual[name].jobsPerSecond));
      const result = {
        ...usual,
        queuedFirst: await all(cloud, loadQueued(slowest)),
        atZeroLatency: await all(none, loadAtZero),
      };
      return { json: result, text: text(result) };
    }),
};

type Measured = { readonly [Name in SideName]: ContentionRun } & {
  readonly latency: Latency;
  readonly load: Load;
};

const labels: readonly (readonly [
  Exclude<keyof ContentionRun, "failures" | "collisions" | "cpuMsPerJob">,
  string,
])[] = [
  ["jobs", "jobs"],
  ["conflictsPerJob", "conflicts per job"],
  ["failedClaims", "failed calls of workers"],
  ["emptyClaims", "calls for work that returned no job"],
  ["jobsPerSecond", "jobs per second"],
  ["callsPerJob", "mutations of clients per job"],
  ["startedAgain", "further starts of jobs"],
  ["queryRunsPerJob", "runs of queries per job"],
];

function text(
  result: Measured & { readonly queuedFirst: Measured; readonly atZeroLatency: Measured },
): string {
  const part = (measured: Measured): readonly string[] => [
    tableRow(
      `${describe(measured.load)}, ${measured.latency.readMs} ms a read, ${measured.latency.commitMs} ms a commit`,
      sideNames,
    ),
    ...labels.map(([name, label]) => tableRow(label, [measured.ours[name], measured.baseline[name]])),
    tableRow(
      "ms of processor time per job",
      sideNames.map((name) => measured[name].cpuMsPerJob?.all ?? "–"),
    ),
  ];
  return [
    ...part(result),
    "",
    ...part(result.queuedFirst),
    "",
    ...part(result.atZeroLatency),
    "",
    ...barLines(contentionBars(result.ours, result.baseline)),
    "with all jobs queued before the workers come:",
    ...barLines(queuedFirstBars(result.queuedFirst.ours)),
    "without latency:",
    ...barLines(zeroLatencyBars(result.atZeroLatency.ours, result.atZeroLatency.baseline)),
    "",
    ...sideNames.flatMap((name) => collisionLines(name, result[name].collisions)),
  ].join("\n");
}

function describe({ jobs, queuedFirst = false }: Load): string {
  return `up to ${jobs} jobs${queuedFirst ? ", queued before the workers come" : ""}`;
}

function collisionLines(side: SideName, collisions: Collisions): readonly string[] {
  return Object.entries(collisions).flatMap(([name, { runs, conflicts, exhausted, ranges }]) => [
    `  ${side}, ${name}: ${conflicts} conflicts in ${runs} runs, ${exhausted} gave up`,
    ...ranges.map((range) => `    ${String(range.conflicts).padStart(6)} × ${range.table}.${range.range}`),
  ]);
}
