import { expect, it } from "vitest";
import { laneChange } from "./lane-words.ts";

it("tells what pausing and draining will change", () => {
  const counts = {
    ready: { count: 1, exact: true },
    waiting: { count: 2, exact: true },
    running: { count: 1, exact: true },
  };
  expect(laneChange(counts, "paused").slice(0, 2)).toEqual([
    "3 jobs in the queue will not start.",
    "1 job on devices will finish.",
  ]);
  expect(laneChange({ ...counts, ready: { count: 100, exact: false } }, "draining")[0]).toBe(
    "about 102 jobs in the queue and 1 job on devices will finish.",
  );
});
