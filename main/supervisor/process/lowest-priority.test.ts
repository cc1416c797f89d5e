import { readdir, readFile } from "node:fs/promises";
import { afterEach, expect, it, vi } from "vitest";
import { runnerEntry } from "../../runner/runner.fixture.ts";
import { removeIdleGroup } from "./idle-group.ts";
import type { RunnerChild } from "./runner-child.ts";

const started: RunnerChild[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    const gone = new Promise<void>((resolve) => child.onExit(() => resolve()));
    child.kill();
    await gone;
  }
  removeIdleGroup();
});

/** Starts it at its real priority, not at that of tests. */
async function startRunner(): Promise<number> {
  vi.stubEnv("GLEANER_TEST_PRIORITY", "");
  const { forkRunner } = await import("./fork-runner.ts");
  const child = forkRunner(runnerEntry)();
  started.push(child);
  const says = new Promise<void>((resolve) => child.onMessage(() => resolve()));
  await says;
  return child.pid ?? -1;
}

async function fieldsOf(path: string): Promise<readonly string[]> {
  const stat = await readFile(path, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

const linux = { skip: process.platform !== "linux", timeout: 120_000 };

it("runs all its threads at the lowest priority, in its own session", linux, async () => {
  const pid = await startRunner();
  const tasks = await readdir(`/proc/${pid}/task`);
  expect(tasks.length).toBeGreaterThan(1);
  const stats = await Promise.all(tasks.map((task) => fieldsOf(`/proc/${pid}/task/${task}/stat`)));
  // proc(5): nice is field 19, the policy field 41; SCHED_IDLE is 5.
  expect(new Set(stats.map((fields) => fields[16]))).toEqual(new Set(["19"]));
  const { runnerWrapper } = await import("./fork-runner.ts");
  const policy = runnerWrapper().some((each) => each.endsWith("/chrt")) ? "5" : "0";
  expect(new Set(stats.map((fields) => fields[38]))).toEqual(new Set([policy]));

  expect((await fieldsOf(`/proc/${pid}/stat`))[3]).toBe(String(pid));
  // Not every kernel has autogroups.
  const group = await readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => null);
  if (group !== null) expect(group.trim()).toMatch(/nice 19$/);
});
