import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../support/statistics.ts";
import { type PlacementFigures, turnaroundOf } from "./figures.ts";
import { PacedFleet } from "./paced-fleet.ts";
import { drawSpeeds, drawTrace, type TracedJob } from "./trace.ts";

const workers = 60;
/** How long jobs are submitted. The last ones end up to 80 s later. */
const lastsMs = 45_000;
/** Short jobs for every worker, and the time in which the lane learns its workers' speeds. */
const warmUp = { jobs: 120, tokens: 3, pauseMs: 4_000 };
/** A job that takes 4 s on the fastest worker, and at most 8 s on one that is handed such jobs. */
const stragglerTokens = 480;

/** Mean and 95th percentile of the turnaround with sizes and without, at the same time, and the cost of a straggler. */
export async function measurePlacement(
  folder: string,
  rounds: number,
  say: (line: string) => void,
): Promise<PlacementFigures & { readonly jobs: number }> {
  const speeds = drawSpeeds(workers);
  const trace = drawTrace(speeds, lastsMs, Math.random);
  const before = await PacedFleet.start(folder, { speeds, sized: false });
  try {
    const ours = await PacedFleet.start(folder, { speeds, sized: true });
    try {
      await Promise.all([before, ours].map(warmedUp));
      say(`${trace.length} jobs in ${lastsMs / 1_000} s to ${workers} workers, with sizes and without`);
      const [timesBefore, times] = await Promise.all([play(before, trace), play(ours, trace)]);
      const turnaround = { ours: turnaroundOf(times), before: turnaroundOf(timesBefore) };
      say("one worker freezes after its claim");
      return { turnaround, straggler: await straggler(ours, rounds), jobs: trace.length };
    } finally {
      await ours.stop();
    }
  } finally {
    await before.stop();
  }
}

async function warmedUp(fleet: PacedFleet): Promise<void> {
  await Promise.all(
    Array.from({ length: warmUp.jobs }, (_, n) =>
      fleet.turnaround({ number: -1 - n, tokens: warmUp.tokens }),
    ),
  );
  await sleep(warmUp.pauseMs);
}

async function play(fleet: PacedFleet, trace: readonly TracedJob[]): Promise<readonly number[]> {
  const startedAt = performance.now();
  return await Promise.all(
    trace.map(async (job) => {
      await sleep(Math.max(0, startedAt + job.atMs - performance.now()));
      return await fleet.turnaround(job);
    }),
  );
}

/** Alternates jobs on the idle fleet with jobs whose first worker freezes. */
async function straggler(fleet: PacedFleet, rounds: number): Promise<PlacementFigures["straggler"]> {
  const usual: number[] = [];
  const frozen: number[] = [];
  const tokens = stragglerTokens;
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    usual.push(await fleet.turnaround({ number: -10_000 - round, tokens }));
    await fleet.freezeNext();
    frozen.push(await fleet.turnaround({ number: -20_000 - round, tokens }));
  }
  const expectedMs = median(usual);
  return { expectedMs, addedMs: median(frozen) - expectedMs };
}
