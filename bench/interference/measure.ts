import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../../main/deployment.fixture.ts";
import { endless } from "../../main/runner/runner.fixture.ts";
import { ticksOf, treeOf } from "../support/process-tree.ts";
import { runnerOf } from "../yield/runner-watch.ts";
import type { Pair, Tasks } from "./figures.ts";
import type { Foreground } from "./foreground.ts";

const windowMs = 1_000;
const pairsPerRound = 6;
const yieldsPerRound = 2;
/** By then nothing of a donor that yielded can be felt any more. */
const longAfterMs = 3_000;
const patienceMs = 60_000;
/** Of 10 ms each: more than it takes to notice that it may work. */
const ticksAtWork = 5;
export const tasks = ["oneCore", "allCores", "input"] as const satisfies readonly (keyof Tasks)[];

type Measured = { [Task in keyof Tasks]: Pair[] };
const nothing = (): Measured => ({ oneCore: [], allCores: [], input: [] });

/** A person who looks at what their computation does, seconds after their last input … */
const lookingOnSeconds = 5;
/** … and one who types: the donor's sensor is told as often as the foreground gets something to do. */
const typesEveryMs = 50;

/**
 * Beside a donor that works while the computer is in use, within its limits. Alone is: with its runner held still
 * (SIGSTOP), for a second at a time, in turn; so that the two halves of a pair have the same machine. Each half with
 * input begins with a runner at work: it has to notice.
 */
export async function besideWork(
  deployment: Deployment,
  foreground: Foreground,
  rounds: number,
): Promise<Tasks> {
  const donor = await deployment.startDonor("in-use", 15, undefined, {
    rules: { inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 4_096 } },
  });
  // From its text on the model is loaded, for those that are measured.
  const first = await deployment.submit(endless("first"), true);
  await deployment.until(first, ({ text }) => text !== "", patienceMs);
  await deployment.cancel(first);
  const pairs = nothing();
  for (let index = 0; index < rounds * pairsPerRound; index += 1) {
    for (const task of tasks) {
      // Nobody reads along: the backend, which stands elsewhere, would send every token on from these same processors.
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
        const typing = task === "input" ? setInterval(() => void donor.setIdle(0), typesEveryMs) : undefined;
        measured[half] = await foreground.measure(task, windowMs);
        clearInterval(typing);
      }
      process.kill(runner, "SIGCONT");
      pairs[task].push(measured);
      await deployment.cancel(job);
    }
  }
  donor.process.kill("SIGTERM");
  await donor.exited;
  return pairs;
}

/** Resolves when the process works. */
async function atWork(pid: number): Promise<void> {
  const before = ticksOf(treeOf(pid));
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    await sleep(100);
    if (ticksOf(treeOf(pid)) - before >= ticksAtWork) return;
  }
  throw new Error("The runner does not work: other programs take the whole machine.");
}

/** In the second after the input that made a donor stop, and long after. The model is freed, as it is by default. */
export async function afterYield(
  deployment: Deployment,
  foreground: Foreground,
  rounds: number,
): Promise<Tasks> {
  const donor = await deployment.startDonor("yielding", 9_999);
  const pairs = nothing();
  for (let index = 0; index < rounds * yieldsPerRound; index += 1) {
    for (const task of tasks) {
      await donor.setIdle(9_999);
      const job = await deployment.submit(endless(String(index)), true);
      await deployment.until(job, ({ text }) => text !== "", patienceMs);
      await donor.setIdle(0);
      // What the first promise allows for: 250 ms from the input.
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
