import { spawn } from "node:child_process";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import { ownGpuUse } from "../base/own-use.ts";
import type { Needs } from "../base/sensor.ts";
import { type GpuReading, judgeGpus } from "./gpu-meter.ts";
import { gpuSensor } from "./gpu-sensor.ts";

const gpu = (id: string, otherLoad: Known<number>, more: Partial<GpuReading> = {}): GpuReading => ({
  id,
  index: null,
  integrated: false,
  otherLoad,
  vramFreeMb: unknown,
  ...more,
});
const loadOf = (readings: readonly GpuReading[], denied: readonly number[] = []): Known<number> =>
  judgeGpus(readings, denied).otherGpuLoad;

it("judges by the busiest GPU, and knows nothing if one of them is unknown", () => {
  expect(loadOf([gpu("a", known(0.1)), gpu("b", known(0.7))])).toEqual(known(0.7));
  expect(loadOf([gpu("a", known(0.1)), gpu("b", unknown)])).toEqual(unknown);
  expect(loadOf([])).toEqual(unknown);
});

it("ignores the processor's own GPU beside another, and excluded GPUs", () => {
  const integrated = gpu("a", known(0.9), { integrated: true });
  expect(loadOf([integrated, gpu("b", known(0.1))])).toEqual(known(0.1));
  expect(loadOf([integrated])).toEqual(known(0.9));
  const both = [gpu("b", known(0.8), { index: 0 }), gpu("c", known(0.2), { index: 1 })];
  expect(loadOf([gpu("d", unknown), ...both], [0])).toEqual(known(0.2));
  // Windows' counters cannot leave one out.
  expect(loadOf([gpu("any", known(0.8), { index: "any" })], [0])).toEqual(known(0.8));
});

it("takes a GPU that two sources know from the one that knows its load", () => {
  const readings = [gpu("0000:01:00.0", known(0.2), { index: 0 }), gpu("0000:01:00.0", unknown)];
  expect(judgeGpus(readings, [])).toEqual({ otherGpuLoad: known(0.2), vramFreeMb: unknown });
});

it("counts the memory of separate GPUs, since the processor's own GPU uses the computer's", () => {
  const vramOf = (...readings: readonly GpuReading[]) => judgeGpus(readings, []).vramFreeMb;
  const integrated = gpu("0000:00:02.0", known(0), { integrated: true, vramFreeMb: known(512) });
  expect(vramOf(integrated)).toEqual(unknown);
  expect(vramOf(integrated, gpu("b", known(0), { vramFreeMb: known(8_000) }))).toEqual(known(8_000));
  expect(vramOf({ ...integrated, index: 0 })).toEqual(known(512));
});

it("keeps the last load for 15 seconds when samples fail, and opens its sources only while it is followed", async () => {
  let now = 0;
  let opened = 0;
  let load: Known<number> = known(0.2);
  const open = (): (() => void) => {
    opened += 1;
    return () => (opened -= 1);
  };
  const meter = { source: "a", open, read: () => Promise.resolve([gpu("a", load)]) };
  const sensor = gpuSensor([meter], false, () => now);
  const needs: Needs = { facts: new Set(), programs: [], running: true };
  const sampled = async () => (await sensor.sample?.(needs))?.otherGpuLoad;
  const end = sensor.follow?.(() => undefined);
  expect(opened).toBe(1);
  expect(await sampled()).toEqual(known(0.2));
  load = unknown;
  now = 14_000;
  expect(await sampled()).toEqual(known(0.2));
  now = 15_000;
  expect(await sampled()).toEqual(unknown);
  end?.();
  expect(opened).toBe(0);
});

it.skipIf(process.platform !== "linux")(
  "knows the runner's processes below the one that it was started as",
  async () => {
    const script = `const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "ignore" });
console.log(child.pid); process.on("SIGTERM", () => { child.kill(); process.exit(); }); setInterval(() => 0, 1000);`;
    const wrapper = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void wrapper.kill());
    let inner = "";
    wrapper.stdout.on("data", (text: Buffer) => (inner += text.toString()));
    await vi.waitFor(() => expect(inner).toMatch(/\d+\n/), { timeout: 60_000 });
    const own = ownGpuUse(() => wrapper.pid);
    expect(own.isRunning()).toBe(true);
    expect([...own.processes()]).toEqual(expect.arrayContaining([process.pid, wrapper.pid, Number(inner)]));
  },
);
