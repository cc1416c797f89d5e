import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Confinement } from "../../app/contract/confinement.ts";
import { unknown } from "../../app/facts/facts.ts";
import { silentLog } from "../log.ts";
import { demoModel, runnerEntry } from "../runner/runner.fixture.ts";
import { openRunner } from "./open-runner.ts";
import { forkRunner } from "./process/fork-runner.ts";

it("inspects a model in a process, and reports the end of that process", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "gleaner-runner-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  let ended = 0;
  let confined: Confinement | null = null;
  const { runner, plans, knowledge } = await openRunner({
    dataDir,
    spawnRunner: forkRunner(runnerEntry),
    log: silentLog,
    models: [(await demoModel()).path],
    deniedGpus: () => [],
    memory: () => ({ found: unknown, leaveMb: 0 }),
    gpu: { vramMb: () => null, look: () => Promise.resolve() },
    onEnded: () => (ended += 1),
    onRested: () => undefined,
    onConfined: (confinement) => (confined = confinement),
  });
  const model = await demoModel();
  expect(await plans.learn([model])).toBe(true);
  expect(plans.fits(model)).toBe(true);
  expect(confined).toHaveLength(4);
  expect(ended).toBe(0);
  await runner.stop();
  await expect.poll(() => ended).toBe(1);
  await knowledge.close();
});
