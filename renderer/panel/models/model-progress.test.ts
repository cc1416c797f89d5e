import { expect, it } from "vitest";
import { progressOf, progressWords } from "./model-progress.ts";

const model = { modelId: "m", sizeBytes: 4_000_000_000 };

it("shows the progress and the speed of a download", () => {
  const view = { ...model, state: "downloading", downloadedBytes: 1e9, bytesPerSecond: 2e6 } as const;
  expect(progressOf(view)).toBe(0.25);
  expect(progressWords(view)).toMatch(/^1(\.0)? GB of 4(\.0)? GB, 2(\.0)? MB per second$/);
});

it("explains what a model waits for", () => {
  const why = { reason: "unreachable", detail: "ECONNREFUSED" } as const;
  const view = { ...model, state: "waiting", downloadedBytes: 0, why } as const;
  expect(progressOf(view)).toBeNull();
  expect(progressWords(view)).toBe("The source cannot be reached; Gleaner keeps trying (ECONNREFUSED)");
  expect(progressWords({ ...view, downloadedBytes: 2e9 })).toMatch(/^2(\.0)? GB downloaded\. The source/);
});

it("explains nothing about a model that is ready", () => {
  expect(progressWords({ ...model, state: "ready" })).toBeNull();
  expect(progressOf({ ...model, state: "ready" })).toBeNull();
});
