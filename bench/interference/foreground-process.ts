import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { z } from "zod";

/**
 * The programs of a person at work, in a process and a session of its own. Asked `{ task, ms }`, it does the task for so
 * long and answers what one unit of it took, in milliseconds.
 */
const asked = z.object({ task: z.enum(["oneCore", "allCores", "input"]), ms: z.number() });

const EVERY_MS = 50;
/** Of a short task: some milliseconds, as a keystroke's handler takes. */
const SHORT_ROUNDS = 40;

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

/** How often the work was done in so many milliseconds. */
function computeFor(ms: number): number {
  const end = performance.now() + ms;
  let count = 0;
  while (performance.now() < end) {
    compute(10);
    count += 1;
  }
  return count;
}

/** The mean time from when a short task was due to its end. */
async function answerInput(ms: number): Promise<number> {
  const count = Math.floor(ms / EVERY_MS);
  const began = performance.now();
  let total = 0;
  for (let index = 1; index <= count; index += 1) {
    const due = began + index * EVERY_MS;
    await sleep(Math.max(0, due - performance.now()));
    compute(SHORT_ROUNDS);
    total += performance.now() - due;
  }
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
  await together(500);
  process.send?.({ ready: true });
}

if (isMainThread) await serve();
else {
  parentPort?.on("message", (ms: number) => parentPort?.postMessage(computeFor(ms)));
}
