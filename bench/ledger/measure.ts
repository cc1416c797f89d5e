import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { cloud } from "../fleet/site.ts";
import { sendBatch } from "../requests/files.ts";
import { makeRequester } from "../requests/requester.ts";
import { type StandIn, startStandIn } from "../requests/stand-in.ts";
import { type Collisions, collisionsOf } from "../support/admin.ts";
import { measureAtTwoHundred } from "./at-two-hundred.ts";
import { completionsBetween } from "./completions.ts";
import type { LedgerFigures } from "./figures.ts";
import { bytesPerJob, type Kept, keptIn } from "./kept-bytes.ts";

const workers = 50;
const warmUpLines = 100;
const lines = 4_000;
/** A slow machine completes fewer lines. */
const measuredMs = 100_000;
const warmUpMs = 60_000;
/** Changes are in the file's tables within this time. */
const settleMs = 5_000;
/** Enough workers for 200 completions a second. A slow machine enrolls fewer in that time. */
const manyWorkers = 200;
const enrollWithinMs = 45_000;
const enrolledAtOnce = 6;
const atTwoHundredMs = 60_000;
/** All of it ends by then: the tables are read, and the farm is closed. */
const endsWithinMs = 285_000;
const closingMs = 30_000;

const batch = z.object({
  status: z.string(),
  request_counts: z.object({ completed: z.number(), failed: z.number() }),
});

export type LedgerRun = LedgerFigures & {
  readonly completions: number;
  /** Conflicts of completions in the queue's tables: a completion also claims the worker's next job. */
  readonly queueConflictsPerCompletion: number;
  /** The functions that collided, with the index ranges. */
  readonly collisions: Collisions;
  readonly kept: Kept;
  readonly manyWorkers: number;
};

/** Lets workers without a model complete the lines of a batch of one key, on a backend with a network's latency. */
export async function measureLedger(say: (line: string) => void): Promise<LedgerRun> {
  const endsAt = performance.now() + endsWithinMs;
  const farm = await startFarm({
    backendFlags: [
      ...["--read-latency-ms", String(cloud.readMs)],
      ...["--commit-latency-ms", String(cloud.commitMs)],
    ],
  });
  try {
    const requester = makeRequester(farm);
    const standIns: StandIn[] = [];
    // One after the other: enrollments change the counts of the fleet.
    while (standIns.length < workers) standIns.push(await startStandIn(farm, 1));
    const further = await enrollMore(farm, manyWorkers - workers);
    const many = [...standIns, ...further];
    say(`${many.length} workers that end their jobs, 200 a second`);
    const atTwoHundred = await measureAtTwoHundred(farm, requester, many, atTwoHundredMs);
    await Promise.all(further.map((standIn) => standIn.stop()));
    const countsOf = async (id: string) =>
      batch.parse(await (await requester.fetch(`/batches/${id}`)).json());
    const untilDone = async (id: string, withinMs: number): Promise<number> => {
      const until = performance.now() + withinMs;
      for (;;) {
        const { status, request_counts: counts } = await countsOf(id);
        if (counts.failed > 0) throw new Error(`${counts.failed} lines of the batch failed.`);
        if (status === "completed" || performance.now() > until) return counts.completed;
        await sleep(500);
      }
    };
    say(`${workers} workers, ${warmUpLines} lines as a warm-up`);
    await untilDone(await sendBatch(farm, requester, warmUpLines), warmUpMs);
    say(`up to ${lines} lines of one key`);
    const before = await collisionsOf(farm.backend.url, farm.adminKey);
    const startedAt = performance.now();
    const id = await sendBatch(farm, requester, lines);
    await untilDone(id, Math.min(measuredMs, endsAt - closingMs - performance.now()));
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await collisionsOf(farm.backend.url, farm.adminKey);
    await requester.fetch(`/batches/${id}/cancel`, { method: "POST" }).catch(() => null);
    await Promise.all(standIns.map((standIn) => standIn.stop()));
    await sleep(settleMs);
    await farm.backend.child.stop();
    const kept = keptIn(farm.folder.dataFile);
    const { completions, ofApp, ofQueue } = completionsBetween(before, after);
    return {
      conflictsPerCompletion: ofApp / completions,
      completionsPerSecond: completions / seconds,
      bytesPerJobKept: bytesPerJob(kept, kept.forGood),
      atTwoHundred,
      manyWorkers: many.length,
      completions,
      queueConflictsPerCompletion: ofQueue / completions,
      collisions: Object.fromEntries(Object.entries(after).filter(([, each]) => each.conflicts > 0)),
      kept,
    };
  } finally {
    await farm.close();
  }
}

/** Changes of a large fleet are counted later, so its devices can be enrolled at once. */
async function enrollMore(farm: Farm, most: number): Promise<readonly StandIn[]> {
  const endsAt = performance.now() + enrollWithinMs;
  const enrolled: StandIn[] = [];
  let begun = 0;
  const enroll = async (): Promise<void> => {
    while (begun < most && performance.now() < endsAt) {
      begun += 1;
      enrolled.push(await startStandIn(farm, 1));
    }
  };
  await Promise.all(Array.from({ length: enrolledAtOnce }, enroll));
  return enrolled;
}
