import { readdir, readFile } from "node:fs/promises";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { silentLog } from "../../log.ts";
import { chat, demoModel, planOf, runnerEntry, testConfinement } from "../../runner/runner.fixture.ts";
import { RunnerSupervisor } from "../supervisor.ts";
import { hurryExit } from "./hurry-exit.ts";
import { removeIdleGroup } from "./idle-group.ts";

afterEach(() => removeIdleGroup());

/**
 * Does a job in a runner at its real priority, not at that of tests.
 * @param donor "normal": the programs that start the runner do not lower it, as if they were not installed.
 */
async function runnerAfterJob(donor: "" | "normal") {
  vi.stubEnv("GLEANER_TEST_PRIORITY", donor);
  onTestFinished(() => void vi.unstubAllEnvs());
  // The module remembers which programs it uses.
  vi.resetModules();
  const { forkRunner, runnerWrapper } = await import("./fork-runner.ts");
  const env = { ...testConfinement, GLEANER_TEST_PRIORITY: "" };
  const supervisor = new RunnerSupervisor(() => forkRunner(runnerEntry)(env), silentLog);
  onTestFinished(() => supervisor.stop());
  const model = await demoModel();
  const work = { kind: "chat", request: chat("Hello") } as const;
  const events = { loaded: () => undefined, text: () => undefined, measured: () => undefined };
  const plan = planOf(model, { threads: 2 });
  expect(await supervisor.run({ attemptId: "one", model, work, plan }, events)).toMatchObject({
    kind: "done",
  });
  const idle = runnerWrapper().some((each) => each.endsWith("/chrt"));
  return { pid: supervisor.pid ?? -1, idle };
}

async function fieldsOf(path: string): Promise<readonly string[]> {
  const stat = await readFile(path, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

it.each([
  ["with the programs that lower it", ""],
  ["by itself", "normal"],
] as const)(
  "runs all threads, llama.cpp's too, at the lowest priority in a session of its own: %s",
  { skip: process.platform !== "linux", timeout: 120_000 },
  async (_, donor) => {
    const { pid, idle } = await runnerAfterJob(donor);
    const tasks = await readdir(`/proc/${pid}/task`);
    expect(tasks.length).toBeGreaterThan(1);
    const stats = await Promise.all(tasks.map((task) => fieldsOf(`/proc/${pid}/task/${task}/stat`)));
    // proc(5): nice is field 19, the policy field 41; SCHED_IDLE is 5.
    expect(new Set(stats.map((fields) => fields[16]))).toEqual(new Set(["19"]));
    expect(new Set(stats.map((fields) => fields[38]))).toEqual(new Set([idle ? "5" : "0"]));

    expect((await fieldsOf(`/proc/${pid}/stat`))[3]).toBe(String(pid));
    // Not every kernel has autogroups.
    const group = async (): Promise<string | null> =>
      await readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => null);
    if ((await group()) === null) return;
    expect((await group())?.trim()).toMatch(/nice 19$/);
    // As after a kill, so that a dying runner frees its memory at once. The kernel allows ten such changes a second.
    await expect
      .poll(async () => {
        hurryExit(pid);
        return (await group())?.trim();
      })
      .toMatch(/nice 0$/);
  },
);
