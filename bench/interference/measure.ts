import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment, DonorProcess } from "../../main/deployment.fixture.ts";
import { endless } from "../../main/runner/runner.fixture.ts";
import { ticksOf, treeOf } from "../support/process-tree.ts";
import { repetitions } from "../support/repetitions.ts";
import { runnerOf } from "../yield/runner-watch.ts";
import type { Pair, Tasks } from "./figures.ts";
import type { Foreground } from "./foreground.ts";

const windowMs = 1_000;
const pairsPerRound = 6;
const yieldsPerRound = 2;
/** The time limit of each of the two parts. */
const withinMs = 120_000;
/** After this time a donor that yielded has no effect. */
const longAfterMs = 3_000;
const patienceMs = 60_000;
/** Ticks of 10 ms: more than a donor needs to notice that it may work. */
const ticksAtWork = 5;
export const tasks = ["oneCore", "allCores", "input"] as const satisfies readonly (keyof Tasks)[];

type Measured = { [Task in keyof Tasks]: Pair[] };
const nothing = (): Measured => ({ oneCore: [], allCores: [], input: [] });

/** Seconds since the last input of a person who watches a computation. */
const lookingOnSeconds = 5;
/** The interval between the inputs of a person who types. The foreground's input task has the same. */
const typesEveryMs = 50;

/**
 * Measures with a donor that works within its in-use limits. In alternate seconds its runner is stopped (SIGSTOP),
 * so that both halves of a pair see the same machine. Each half with input begins with a working runner, which has
 * to notice the input.
 */
export async function duringWork(
  deployment: Deployment,
  foreground: Foreground,
  rounds: number,
): Promise<Tasks> {
  const donor = await deployment.startDonor("in-use", 15, undefined, {
    rules: { inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 4_096 } },
  });
  // The model is loaded once this job writes text.
  const first = await deployment.submit(endless("first"), true);
  await deployment.until(first, ({ text }) => text !== "", patienceMs);
  await deployment.cancel(first);
  const pairs = nothing();
  for (const index of repetitions(rounds * pairsPerRound, withinMs)) {
    for (const task of tasks) {
      // Nobody watches the text. A real backend runs elsewhere; here it would use the same processors.
      const job = await deployment.submit(endless(String(index)));
      await deployment.until(job, ({ status }) => status === "running", patienceMs);
      const runner = runnerOf(donor.process.pid ?? -1);
      if (runner === null) throw new Error("The donor does not work.");
      const measured = { alone: 0, beside: 0 };
      for (const half of index % 2 === 0 ? (["alone", "beside"] as const) : (["beside", "alone"] as const)) {
        process.kill(runner, "SIGCONT");
        await donor.setIdle(lookingOnSeconds);
        await atWork(runner);
        if (half === "alone") process.kill(runner, "SIGSTOP");
        const stopTyping = task === "input" ? startTyping(donor) : undefined;
        measured[half] = await foreground.measure(task, windowMs);
        await stopTyping?.();
      }
      process.kill(runner, "SIGCONT");
      // Otherwise the person would still type, and the donor would not take the next job.
      await donor.setIdle(lookingOnSeconds);
      pairs[task].push(measured);
      await deployment.cancel(job);
    }
  }
  donor.process.kill("SIGTERM");
  await donor.exited;
  return pairs;
}

/** Reports input again and again. The returned function resolves after the last report was written. */
function startTyping(donor: DonorProcess): () => Promise<void> {
  const stopped = new AbortController();
  const typing = (async () => {
    while (!stopped.signal.aborted) {
      await donor.setIdle(0);
      await sleep(typesEveryMs);
    }
  })();
  return async () => {
    stopped.abort();
    await typing;
  };
}

/** Resolves when the process works. */
async function atWork(pid: number): Promise<void> {
  const before = ticksOf(treeOf(pid));
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    await sleep(100);
    if (ticksOf(treeOf(pid)) - before >= ticksAtWork) return;
  }
  throw new Error("The runner does not work, because other programs use the whole machine.");
}

/** Measures right after an input stopped a donor, and some seconds later. The model is freed, as by default. */
export async function afterYield(
  deployment: Deployment,
  foreground: Foreground,
  rounds: number,
): Promise<Tasks> {
  const donor = await deployment.startDonor("yielding", 9_999);
  const pairs = nothing();
  for (const index of repetitions(rounds * yieldsPerRound, withinMs)) {
    for (const task of tasks) {
      await donor.setIdle(9_999);
      const job = await deployment.submit(endless(String(index)), true);
      await deployment.until(job, ({ text }) => text !== "", patienceMs);
      await donor.setIdle(0);
      // The promised time to yield: 250 ms from the input.
      await sleep(250);
      const beside = await foreground.measure(task, windowMs);
      await deployment.cancel(job);
      await sleep(longAfterMs);
      pairs[task].push({ alone: await foreground.measure(task, windowMs), beside });
    }
  }
  donor.process.kill("SIGTERM");
  await donor.exited;
  return pairs;
}
