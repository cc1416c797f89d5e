import { expect, it } from "vitest";
import { type ProcessorTime, processorTime, processorTimePerJob } from "./processor-time.ts";

const first: ProcessorTime = { backend: 100, workers: 200, submitter: 50, all: 350 };
const last: ProcessorTime = { backend: 400, workers: 300, submitter: 70, all: 770 };

it("the processor time of a job is the difference of each part, divided by the jobs", () => {
  expect(processorTimePerJob(first, last, 10)).toEqual({ backend: 30, workers: 10, submitter: 2, all: 42 });
});

it("a system without /proc has no processor time for a job", () => {
  expect(processorTimePerJob(null, last, 10)).toBeNull();
  expect(processorTimePerJob(first, null, 10)).toBeNull();
});

it.runIf(process.platform === "linux")("the processor time grows with what the processes do", () => {
  const read = (): ProcessorTime | null => processorTime({ backend: process.pid, workers: [] });
  const before = read();
  // Two units of /proc at least.
  while ((read()?.backend ?? 0) < (before?.backend ?? 0) + 20);
  const spent = processorTimePerJob(before, read(), 1);
  expect(spent?.backend).toBeGreaterThanOrEqual(20);
  expect(spent?.submitter).toBeGreaterThan(0);
  expect(spent?.workers).toBe(0);
});
