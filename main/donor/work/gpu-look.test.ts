import { expect, it, onTestFinished } from "vitest";
import { defaultRules, type Rules } from "../../../app/policy/rules.ts";
import { unknownIdle } from "../../sensors/base/idle.ts";
import { neededBy } from "../../sensors/base/sensor.ts";
import { gatherFacts } from "../../sensors/facts-source.ts";
import { gpuSensor } from "../../sensors/gpu/gpu-sensor.ts";
import { nvidiaMeter } from "../../sensors/gpu/nvidia.ts";
import { ours, programOf, recorded } from "../../sensors/gpu/recorded.fixture.ts";
import { FreeVram, sightOf } from "./free-vram.ts";

/** Looks once at the GPUs of NVIDIA's recorded output: others use GPU 0, and GPU 1 has 24,210 MiB free. */
async function lookBy(changed: Partial<Rules>) {
  const rules = { ...defaultRules, ...changed };
  const own = ours();
  own.alive = false;
  const { program, starts } = programOf(
    `process.stdout.write(${JSON.stringify(recorded("nvidia-totals.txt"))});`,
  );
  const sensors = gatherFacts({
    idle: unknownIdle,
    others: [gpuSensor([nvidiaMeter(own, { program })])],
  });
  onTestFinished(() => sensors.stop());
  await sensors.start(neededBy(rules, false), () => undefined);
  const vram = new FreeVram({
    look: async () => sightOf(await sensors.lookAtGpu(), rules, false),
    isAllowed: () => true,
    isWanted: () => false,
    onChange: () => undefined,
  });
  onTestFinished(() => vram.stop());
  await vram.look();
  return { vramMb: vram.mb, starts: starts().filter((args) => args !== "") };
}

const withoutFirst = { gpus: [{ index: 0, allow: false }] };

it("counts the free memory of a GPU that nobody else uses, with one start of NVIDIA's program", async () => {
  expect(await lookBy(withoutFirst)).toEqual({
    vramMb: 24_064,
    starts: [expect.stringContaining("memory.free")],
  });
});

it("counts none while other programs use one of the GPUs, unless the rules allow that", async () => {
  expect(await lookBy({})).toMatchObject({ vramMb: null });
  expect(await lookBy({ maxOtherGpuLoad: 1 })).toMatchObject({ vramMb: 24_064 });
});

it("starts nothing where the rules forbid the GPU", async () => {
  expect(await lookBy({ idle: { ...defaultRules.idle, gpu: false } })).toEqual({ vramMb: null, starts: [] });
});
