import type { Bench } from "../bench.ts";
import { cloud, type Latency, none } from "../fleet/site.ts";
import { barLines } from "../support/bars.ts";
import { tableRow } from "../support/rows.ts";
import { withScratch } from "../support/scratch.ts";
import { roundedNumbers } from "../support/statistics.ts";
import { dispatchBars, type DispatchTimes } from "./figures.ts";
import { measureDispatch } from "./measure.ts";

/**
 * Samples per round; half as many without latency. Five rounds give 80. With fewer, the 95th percentile would
 * depend on the two or three slowest. A fleet of 500 takes a while to become quiet after a job.
 */
const fleets = [
  { workers: 1, perRound: 16 },
  { workers: 50, perRound: 16 },
  { workers: 500, perRound: 6 },
];

/** The time to start a job, compared with the published pattern. */
export const dispatchBench: Bench = {
  summary: "ms from submission to start with 1, 50 and 500 idle workers, compared with the baseline",
  run: (rounds, say) =>
    withScratch(async (folder) => {
      const all = async (latency: Latency, share: number): Promise<readonly DispatchTimes[]> => {
        const measured: DispatchTimes[] = [];
        for (const { workers, perRound } of fleets) {
          say(`${workers} workers, ${latency.readMs} ms a read, ${latency.commitMs} ms a commit`);
          const samples = Math.ceil(rounds * perRound * share);
          const times = roundedNumbers(await measureDispatch(folder, latency, workers, samples));
          say(`  p95: ours ${times.ours.p95} ms, baseline ${times.baseline.p95} ms`);
          measured.push(times);
        }
        return measured;
      };
      const result = {
        workers: await all(cloud, 1),
        latency: cloud,
        atZeroLatency: { workers: await all(none, 1 / 2), latency: none },
      };
      return { json: result, text: text(result) };
    }),
};

type Measured = { readonly workers: readonly DispatchTimes[]; readonly latency: Latency };

function text(result: Measured & { readonly atZeroLatency: Measured }): string {
  const part = ({ workers, latency }: Measured): readonly string[] => [
    tableRow(`${latency.readMs} ms a read, ${latency.commitMs} ms a commit`, [
      ...["ours p50", "ours p95", "baseline p50", "baseline p95"],
    ]),
    ...workers.map(({ n, ours, baseline }) =>
      tableRow(`submission to start, ${n} idle workers, ms`, [
        ours.p50,
        ours.p95,
        baseline.p50,
        baseline.p95,
      ]),
    ),
  ];
  return [
    ...part(result),
    "",
    ...part(result.atZeroLatency),
    "",
    ...barLines(dispatchBars(result.workers)),
  ].join("\n");
}
