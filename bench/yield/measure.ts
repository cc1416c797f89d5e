import { setTimeout as sleep } from "node:timers/promises";
import { type Deployment, NotInTime } from "../../main/deployment.fixture.ts";
import { chat, endless } from "../../main/runner/runner.fixture.ts";
import type { Foreground } from "../interference/foreground.ts";
import { ticksOf, treeOf } from "../support/process-tree.ts";
import { runnerOf, watchUntilIdle } from "../support/runner-watch.ts";
import type { Phase, Return } from "./figures.ts";
import type { Subject } from "./subject.ts";

/** A donor that takes longer is not caught. */
const patienceMs = 30_000;
const batch = 4;
const attempts = 4;
/** A working runner uses 10 ms of the processor within this time, also if other programs leave it little. */
const atWorkMs = 200;
const atWorkBusyMs = 2_000;
/** The foreground computes in windows of this length, one after the other. */
const busyWindowMs = 250;
const everyMs = 5;

/** A prompt that takes long to read. */
const reading = (): ReturnType<typeof chat> => chat(`${nonce()} ${"a b c ".repeat(600)}`, { maxTokens: 300 });
/** A job whose answer does not end. */
const talking = (): ReturnType<typeof chat> => endless(nonce());
/** Makes each prompt different, because a prompt that was read before may be cached. */
const nonce = (): string => String(Math.random());

/** The range of the random pause between the start of a phase and the person's return. */
const pauseMs: Readonly<Record<Phase, readonly [least: number, most: number]>> = {
  loading: [0, 900],
  prefill: [20, 2_000],
  generating: [0, 1_500],
  batched: [0, 1_500],
  busy: [250, 1_500],
};

/** The donor under measurement, and the programs of its person. */
export type Site = {
  readonly deployment: Deployment;
  readonly subject: Subject;
  readonly foreground: Foreground;
  readonly keepsModel: boolean;
};

/**
 * Lets the donor work, simulates the person's return during `phase`, and measures how long the donor keeps working.
 * Null if the donor was not caught in that phase.
 */
export async function measureReturn(site: Site, phase: Phase): Promise<Return | null> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      const one = await tryReturn(site, phase);
      if (one !== null) return one;
    } catch (error) {
      if (!(error instanceof NotInTime)) throw error;
      return null;
    }
  }
  return null;
}

async function tryReturn(
  { deployment, subject, foreground, keepsModel }: Site,
  phase: Phase,
): Promise<Return | null> {
  await subject.goAway();
  const before = { loads: loadsOf(subject), claims: timesLogged(subject, "attempt.claimed") };
  const isLoaded = runnerOf(subject.donor.process.pid ?? -1) !== null && before.loads > 0;
  const requests =
    phase === "batched"
      ? Array.from({ length: batch }, talking)
      : [phase === "loading" || phase === "prefill" ? reading() : talking()];
  const jobs = await Promise.all(requests.map((request) => deployment.submit(request, true)));
  let calm = (): Promise<void> => Promise.resolve();
  try {
    await reach(deployment, subject, phase, jobs, () =>
      // If the model is already in memory, only the claimed job shows that a prompt is read.
      isLoaded ? timesLogged(subject, "attempt.claimed") > before.claims : loadsOf(subject) > before.loads,
    );
    if (phase === "busy") calm = keepBusy(foreground);
    const [least, most] = pauseMs[phase];
    await sleep(least + Math.random() * (most - least));
    const runner = runnerOf(subject.donor.process.pid ?? -1);
    if (runner === null || !(await isWithin(deployment, phase, jobs, runner))) return null;
    const actual = phase === "loading" && loadsOf(subject) > before.loads ? "prefill" : phase;
    return { phase: actual, ...(await comeBack(subject, runner, keepsModel)) };
  } finally {
    await calm();
    await Promise.all(jobs.map((job) => deployment.cancel(job)));
  }
}

/** The person's programs use all cores until the returned function has resolved. */
function keepBusy(foreground: Foreground): () => Promise<void> {
  const stopped = new AbortController();
  const busy = (async () => {
    while (!stopped.signal.aborted) await foreground.measure("allCores", busyWindowMs);
  })();
  return async () => {
    stopped.abort();
    await busy;
  };
}

async function comeBack(
  subject: Subject,
  runner: number,
  keepsModel: boolean,
): Promise<Omit<Return, "phase">> {
  // Starts watching at once, because the program that makes the input takes a while.
  const since = performance.now();
  const coming = subject.comeBack();
  const [{ stillMs, goneMs, neverIdle }, at] = await Promise.all([
    watchUntilIdle(runner, since, !keepsModel),
    coming,
  ]);
  const early = at - since;
  return {
    stillMs: Math.max(0, stillMs - early),
    memoryMs: keepsModel ? null : (goneMs ?? stillMs) - early,
    neverIdle,
  };
}

/** Whether the runner still works on the phase. An answer may have ended meanwhile. */
async function isWithin(
  deployment: Deployment,
  phase: Phase,
  jobs: readonly string[],
  runner: number,
): Promise<boolean> {
  if (phase !== "loading" && phase !== "prefill") {
    const views = await Promise.all(jobs.map((job) => deployment.until(job, () => true)));
    const running = views.filter(({ status }) => status === "running").length;
    if (running < (phase === "batched" ? 2 : 1)) return false;
  }
  const before = ticksOf(treeOf(runner));
  for (let waited = 0; waited < (phase === "busy" ? atWorkBusyMs : atWorkMs); waited += everyMs) {
    if (ticksOf(treeOf(runner)) > before) return true;
    await sleep(everyMs);
  }
  return false;
}

async function reach(
  deployment: Deployment,
  subject: Subject,
  phase: Phase,
  jobs: readonly string[],
  isReading: () => boolean,
): Promise<void> {
  const pid = subject.donor.process.pid ?? -1;
  switch (phase) {
    case "loading":
      return until(() => runnerOf(pid) !== null, phase);
    case "prefill":
      return until(isReading, phase);
    case "generating":
    case "batched":
    case "busy":
      await Promise.all(jobs.map((job) => deployment.until(job, ({ text }) => text !== "", patienceMs)));
  }
}

/** The number of times that the donor loaded a model. */
function loadsOf(subject: Subject): number {
  return timesLogged(subject, "model.loaded");
}

function timesLogged({ donor }: Subject, event: string): number {
  return donor.lines.filter((line) => line.includes(`"event":"${event}"`)).length;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new NotInTime(`the donor did not reach the phase ${what}`);
    await sleep(everyMs);
  }
}
