import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import * as z from "zod";

/**
 * A person's programs, in a separate process and session. A request `{ task, ms }` runs the task for that time;
 * the answer is the time of one unit, in ms.
 */
const asked = z.object({ task: z.enum(["oneCore", "allCores", "input"]), ms: z.number() });

const everyMs = 50;
/**
 * The work of one input: half a frame at 60 Hz, about an editor's keystroke. Much less would be lost in the
 * timers' resolution of 1 ms. Much more would be a computation, which is measured separately.
 */
const shortMs = 8;
/** The rounds of the computation that take `shortMs` on this machine. */
let shortRounds = 0;

let sink = 0;

/** A fixed piece of work in the processor and its caches: 1 MB, read and written at random. */
const cells = new Float64Array(131_072).map((_, index) => index);
function compute(rounds: number): void {
  let at = 1;
  for (let round = 0; round < rounds * 1_000; round += 1) {
    at = (at * 48_271) % 2_147_483_647;
    const cell = at & 131_071;
    const value = (cells[cell] ?? 0) * 1.0000001 + 1;
    cells[cell] = value;
    sink += value;
  }
}

/** The number of repetitions within this time, in ms. */
function computeFor(ms: number): number {
  const end = performance.now() + ms;
  let count = 0;
  while (performance.now() < end) {
    compute(10);
    count += 1;
  }
  return count;
}

/**
 * The number of rounds that take this long. Uses the fastest of many tries, because other programs can only slow
 * a try down.
 */
function roundsFor(ms: number): number {
  const tries = Array.from({ length: 50 }, () => {
    const began = performance.now();
    compute(100);
    return performance.now() - began;
  });
  return Math.round((100 * ms) / Math.min(...tries));
}

/** The mean time from a short task's due time until its end, in ms. A timer wakes the process. */
async function answerInput(ms: number): Promise<number> {
  const end = performance.now() + ms;
  let [total, count] = [0, 0];
  do {
    const due = performance.now() + everyMs;
    await sleep(everyMs);
    compute(shortRounds);
    total += performance.now() - due;
    count += 1;
  } while (performance.now() + everyMs + shortMs < end);
  return total / count;
}

async function serve(): Promise<void> {
  // The main thread is one of the cores' threads.
  const helpers = Array.from(
    { length: availableParallelism() - 1 },
    () => new Worker(new URL(import.meta.url)),
  );
  const together = async (ms: number): Promise<number> => {
    const counts = helpers.map(
      (helper) =>
        new Promise<number>((resolve) => {
          helper.once("message", resolve);
          helper.postMessage(ms);
        }),
    );
    const own = computeFor(ms);
    return own + (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
  };
  process.on("message", (message) => {
    const { task, ms } = asked.parse(message);
    const unit = {
      oneCore: () => Promise.resolve(ms / computeFor(ms)),
      allCores: async () => ms / (await together(ms)),
      input: () => answerInput(ms),
    }[task];
    void unit().then((took) => process.send?.({ took, sink: sink > 0 }));
  });
  process.on("disconnect", () => process.exit());
  computeFor(500);
  shortRounds = roundsFor(shortMs);
  await together(500);
  process.send?.({ ready: true });
}

if (isMainThread) await serve();
else {
  parentPort?.on("message", (ms: number) => parentPort?.postMessage(computeFor(ms)));
}
