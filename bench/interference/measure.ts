import { setTimeout as sleep } from "node:timers/promises";
import { type Deployment, type DonorProcess, NotInTime } from "../../main/deployment.fixture.ts";
import { endless } from "../../main/runner/runner.fixture.ts";
import { ticksOf, treeOf } from "../support/process-tree.ts";
import { repetitions } from "../support/repetitions.ts";
import { runnerOf } from "../support/runner-watch.ts";
import { type Task, tasks, type Trial, type Trials } from "./figures.ts";
import type { Foreground } from "./foreground.ts";

const windowMs = 1_000;
const trialsPerRound = 6;
const yieldsPerRound = 2;
/** After this time a donor that yielded has no effect. */
const longAfterMs = 2_000;
/** A trial without a working donor by then is left out. */
const patienceMs = 15_000;
/** Ticks of 10 ms: more than a donor needs to notice that it may work. */
const ticksAtWork = 5;

type Subject = {
  readonly deployment: Deployment;
  readonly foreground: Foreground;
  readonly rounds: number;
  /** The time limit of one part. */
  readonly withinMs: number;
  readonly say: (line: string) => void;
};

/** Seconds since the last input of a person who watches a computation. */
const lookingOnSeconds = 5;
/** The interval between the inputs of a person who types. The foreground's input task has the same. */
const typesEveryMs = 50;

/**
 * Measures with a donor that works within its in-use limits. The window with input begins with a working runner,
 * which has to notice the input.
 */
export async function duringWork(subject: Subject): Promise<Trials> {
  const { deployment, foreground } = subject;
  const donor = await deployment.startDonor("in-use", 15, undefined, {
    rules: { inUse: { mode: "limited", threads: 1, gpu: false, memoryMb: 4_096 } },
  });
  const measure = async (task: Task): Promise<number> => {
    const stopTyping = task === "input" ? startTyping(donor) : undefined;
    const took = await foreground.measure(task, windowMs);
    await stopTyping?.();
    // Otherwise the person would still type, and the donor would not take the next job.
    await donor.setIdle(lookingOnSeconds);
    return took;
  };
  return trialsOf(subject, donor, trialsPerRound, async (task) => {
    // Nobody watches the text. A real backend runs elsewhere; here it would use the same processors.
    const job = await deployment.submit(endless(String(Math.random())));
    try {
      // A donor begins later after an input than it goes on.
      await donor.setIdle(15);
      await deployment.until(job, ({ status }) => status === "running", patienceMs);
      await donor.setIdle(lookingOnSeconds);
      await atWork(donor);
      const before = await withoutDonor(donor, () => measure(task));
      await atWork(donor);
      const beside = await measure(task);
      return { before, beside, after: await withoutDonor(donor, () => measure(task)) };
    } finally {
      await deployment.cancel(job);
    }
  });
}

/** Measures right after an input stopped a donor, and before and after. The model is freed, as by default. */
export async function afterYield(subject: Subject): Promise<Trials> {
  const { deployment, foreground } = subject;
  const donor = await deployment.startDonor("yielding", 0);
  return trialsOf(subject, donor, yieldsPerRound, async (task) => {
    const before = await withoutDonor(donor, () => foreground.measure(task, windowMs));
    const job = await deployment.submit(endless(String(Math.random())), true);
    try {
      await donor.setIdle(9_999);
      await deployment.until(job, ({ text }) => text !== "", patienceMs);
      await donor.setIdle(0);
      // The promised time to yield: 250 ms from the input.
      await sleep(250);
      const beside = await foreground.measure(task, windowMs);
      await sleep(longAfterMs);
      return { before, beside, after: await withoutDonor(donor, () => foreground.measure(task, windowMs)) };
    } finally {
      await donor.setIdle(0);
      await deployment.cancel(job);
    }
  });
}

/** Makes trials of each task in turn while time is left. Ends the donor. */
async function trialsOf(
  { rounds, withinMs, say }: Subject,
  donor: DonorProcess,
  perRound: number,
  trial: (task: Task) => Promise<Trial>,
): Promise<Trials> {
  const trials: Record<Task, Trial[]> = { oneCore: [], allCores: [], input: [] };
  for (const index of repetitions(rounds * perRound * tasks.length, withinMs)) {
    const task = tasks[index % tasks.length] ?? "oneCore";
    try {
      trials[task].push(await trial(task));
    } catch (error) {
      if (!(error instanceof NotInTime)) throw error;
      say(`  left out a pair: ${error.message}`);
    }
  }
  donor.process.kill("SIGTERM");
  await donor.exited;
  return trials;
}

/** Stops all processes of the donor meanwhile, so that all windows see the same machine. */
async function withoutDonor(donor: DonorProcess, measure: () => Promise<number>): Promise<number> {
  const stopped = treeOf(pidOf(donor));
  for (const pid of stopped) signal(pid, "SIGSTOP");
  try {
    return await measure();
  } finally {
    for (const pid of stopped) signal(pid, "SIGCONT");
  }
}

function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has just ended.
  }
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

/** Resolves when the donor's runner works. Other programs may use the whole machine. */
async function atWork(donor: DonorProcess): Promise<void> {
  const runner = runnerOf(pidOf(donor));
  if (runner === null) throw new NotInTime("the donor has no runner");
  const before = ticksOf(treeOf(runner));
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    await sleep(100);
    if (ticksOf(treeOf(runner)) - before >= ticksAtWork) return;
  }
  throw new NotInTime("the runner does not work");
}

function pidOf(donor: DonorProcess): number {
  if (donor.process.pid === undefined) throw new Error("The donor has not started.");
  return donor.process.pid;
}
