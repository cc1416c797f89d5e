import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { treeOf } from "../../sensors/base/tree.fixture.ts";
import { runnerThreads } from "./parallelism.ts";
import { coresInSys, countIn } from "./physical-cores.ts";

it.skipIf(process.platform === "win32")("starts no program by the search path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-planted-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const started = join(folder, "started");
  for (const name of ["lscpu", "cat", "dmidecode", "sysctl", "ioreg", "system_profiler"])
    await writeFile(join(folder, name), `#!/bin/sh\necho ${name} >> ${started}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  expect(await runnerThreads()).toBeGreaterThan(0);
  expect(existsSync(started)).toBe(false);
});

it("counts each core of Linux once, however many processors it has", () => {
  const core = (number: number, list: string) => ({ [`cpu${number}/topology/core_cpus_list`]: `${list}\n` });
  // Two cores with two processors each, one with a single one, and one that is switched off.
  const files = {
    ...core(0, "0,4"),
    ...core(1, "1,5"),
    ...core(4, "0,4"),
    ...core(5, "1,5"),
    ...core(2, "2"),
  };
  expect(coresInSys(treeOf({ ...files, "cpu3/online": "0", "cpufreq/policy0": "" }))).toBe(3);
  expect(coresInSys(treeOf({ "cpu0/topology/thread_siblings_list": "0-1\n" }))).toBe(1);
  expect(coresInSys("/nowhere")).toBeNull();
});

it.each([
  ["8\n", 8],
  [" 12\r\n", 12],
  ["0", null],
  ["", null],
  ["unknown oid", null],
  ["1e3", null],
])("reads %j as %s cores", (printed, cores) => {
  expect(countIn(printed)).toBe(cores);
});
