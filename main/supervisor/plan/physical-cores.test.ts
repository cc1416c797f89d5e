import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { runnerThreads } from "./parallelism.ts";
import { coresOfThisComputer, parseCores } from "./physical-cores.ts";

it.skipIf(process.platform === "win32")("starts no program by the search path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-planted-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const started = join(folder, "started");
  for (const name of ["lscpu", "cat", "dmidecode", "sysctl", "ioreg", "system_profiler"])
    await writeFile(join(folder, name), `#!/bin/sh\necho ${name} >> ${started}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
  expect(await runnerThreads()).toBeGreaterThan(0);
  // The answer is the system's, and no fallback.
  expect((await coresOfThisComputer()).physical).toBeGreaterThan(0);
  expect(existsSync(started)).toBe(false);
});

it.each([
  ['{"physicalCores":8,"efficiencyCores":4,"brand":"M1"}', { physical: 8, efficiency: 4 }],
  ['{"physicalCores":2,"efficiencyCores":0}', { physical: 2, efficiency: 0 }],
  ['{"physicalCores":0,"efficiencyCores":0}', { physical: null, efficiency: null }],
  ['{"physicalCores":null,"efficiencyCores":0}', { physical: null, efficiency: null }],
  ['{"physicalCores":1.5,"efficiencyCores":0}', { physical: null, efficiency: null }],
  ["no answer", { physical: null, efficiency: null }],
])("reads %s as %j", (text, cores) => {
  expect(parseCores(text)).toEqual(cores);
});
