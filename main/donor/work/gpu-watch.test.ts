import type { Handler } from "@gleaner/queue/worker";
import { expect, it } from "vitest";
import { GpuWatch } from "./gpu-watch.ts";

type Job = Parameters<Handler>;

function watchOf() {
  const seen: string[] = [];
  const samples: (() => void)[] = [];
  const runner = { alive: false };
  const watch: GpuWatch = new GpuWatch({
    isRunning: () => runner.alive,
    sample: () => {
      seen.push("sample");
      return new Promise((resolve) => samples.push(resolve));
    },
    onChange: () => seen.push(watch.isSampled ? "sampled" : "free"),
  });
  const ends: (() => void)[] = [];
  const handler = watch.checked((async () => {
    seen.push("job");
    await new Promise<void>((resolve) => ends.push(resolve));
  }) as unknown as Handler);
  const start = (): Promise<unknown> => Promise.resolve(handler(...([] as unknown as Job)));
  return { watch, seen, samples, runner, ends, start };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("starts a job once the GPU's load was sampled, and samples nothing before", async () => {
  const { watch, seen, samples, start } = watchOf();
  expect([watch.isNeeded, watch.isSampled]).toEqual([false, false]);
  void start();
  void start();
  await turn();
  expect([seen, watch.isNeeded, watch.isSampled]).toEqual([["sample"], true, false]);
  samples[0]?.();
  await turn();
  expect(seen).toEqual(["sample", "sampled", "job", "job"]);
});

it("samples until the runner has ended", async () => {
  const { watch, seen, samples, runner, ends, start } = watchOf();
  const job = start();
  samples[0]?.();
  await turn();
  runner.alive = true;
  ends[0]?.();
  await job;
  expect([watch.isNeeded, watch.isSampled]).toEqual([true, true]);
  runner.alive = false;
  watch.runnerEnded();
  expect([watch.isNeeded, watch.isSampled, seen.at(-1)]).toEqual([false, false, "free"]);
});
