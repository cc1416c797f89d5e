import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../../main/deployment.fixture.ts";
import { chat } from "../../main/runner/runner.fixture.ts";
import { endless } from "../../main/runner/runner.fixture.ts";
import { ticksOf, treeOf } from "../support/process-tree.ts";
import type { Phase, Return } from "./figures.ts";
import { runnerOf, watchUntilStill } from "./runner-watch.ts";
import type { Subject } from "./subject.ts";

const patienceMs = 90_000;
const batch = 4;
const attempts = 8;
/** A working runner uses 10 ms of the processor within this time. */
const atWorkMs = 200;
const everyMs = 5;

/** Time limits, longer than any wait here. */
const reading = (): ReturnType<typeof chat> => chat(`${nonce()} ${"a b c ".repeat(600)}`, { maxTokens: 300 });
const talking = (): ReturnType<typeof chat> => endless(nonce());
/** No prompt twice: what was read before may be kept. */
const nonce = (): string => String(Math.random());

/** At random moments within a phase, which it is let into first. */
const pauseMs: Readonly<Record<Phase, readonly [least: number, most: number]>> = {
  loading: [0, 900],
  prefill: [20, 2_000],
  generating: [0, 1_500],
  batched: [0, 1_500],
};

/** Has the donor work, comes back in the middle of `phase`, and tells how long it went on. */
export async function measureReturn(
  deployment: Deployment,
  subject: Subject,
  phase: Phase,
  keepsModel: boolean,
): Promise<Return> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await subject.goAway();
    const before = { loads: loadsOf(subject), claims: timesLogged(subject, "attempt.claimed") };
    const isLoaded = runnerOf(subject.donor.process.pid ?? -1) !== null && before.loads > 0;
    const requests =
      phase === "batched"
        ? Array.from({ length: batch }, talking)
        : [phase === "generating" ? talking() : reading()];
    const jobs = await Promise.all(requests.map((request) => deployment.submit(request, true)));
    try {
      await reach(deployment, subject, phase, jobs, () =>
        // Where the model is in memory already, nothing says that it is read with, but that there is a job.
        isLoaded ? timesLogged(subject, "attempt.claimed") > before.claims : loadsOf(subject) > before.loads,
      );
      const [least, most] = pauseMs[phase];
      await sleep(least + Math.random() * (most - least));
      const runner = runnerOf(subject.donor.process.pid ?? -1);
      if (runner === null || !(await isWithin(deployment, phase, jobs, runner))) continue;
      const met = phase === "loading" && loadsOf(subject) > before.loads ? "prefill" : phase;
      return { phase: met, ...(await comeBack(subject, runner, keepsModel)) };
    } finally {
      await Promise.all(jobs.map((job) => deployment.cancel(job)));
    }
  }
  throw new Error(`The donor was not met with at ${phase}.`);
}

async function comeBack(
  subject: Subject,
  runner: number,
  keepsModel: boolean,
): Promise<Pick<Return, "stillMs" | "memoryMs">> {
  // The input's own program runs meanwhile: what is watched must not wait for it.
  const since = performance.now();
  const coming = subject.comeBack();
  const [{ stillMs, goneMs }, at] = await Promise.all([watchUntilStill(runner, since), coming]);
  if (!keepsModel && goneMs === null) throw new Error("The runner kept its memory.");
  const early = at - since;
  return {
    stillMs: Math.max(0, stillMs - early),
    memoryMs: keepsModel || goneMs === null ? null : goneMs - early,
  };
}

/** An answer may have come to its end meanwhile: nobody would be interrupted. */
async function isWithin(
  deployment: Deployment,
  phase: Phase,
  jobs: readonly string[],
  runner: number,
): Promise<boolean> {
  if (phase === "generating" || phase === "batched") {
    const views = await Promise.all(jobs.map((job) => deployment.until(job, () => true)));
    const running = views.filter(({ status }) => status === "running").length;
    if (running < (phase === "batched" ? 2 : 1)) return false;
  }
  const before = ticksOf(treeOf(runner));
  for (let waited = 0; waited < atWorkMs; waited += everyMs) {
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
      await Promise.all(jobs.map((job) => deployment.until(job, ({ text }) => text !== "", patienceMs)));
  }
}

/** How often a model was loaded. */
function loadsOf(subject: Subject): number {
  return timesLogged(subject, "model.loaded");
}

function timesLogged({ donor }: Subject, event: string): number {
  return donor.lines.filter((line) => line.includes(`"event":"${event}"`)).length;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`The donor did not come to ${what}.`);
    await sleep(everyMs);
  }
}
