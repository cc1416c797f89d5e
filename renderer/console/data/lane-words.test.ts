import { expect, it } from "vitest";
import { laneChange, laneName, laneNeeds } from "./lane-words.ts";
import type { LaneRow } from "./rows.ts";

const lane = (requirements: LaneRow["requirements"]): LaneRow => ({
  laneId: "l1",
  name: '["chat",{}]',
  kind: "chat",
  requirements,
  state: "open",
  stateBy: null,
  stateAt: null,
  slots: 16,
  ready: { count: 0, exact: true },
  waiting: { count: 0, exact: true },
  running: { count: 0, exact: true },
  countedAt: null,
  oldestReadyAt: null,
  waits: null,
});

it("names a lane by its model and its kind", () => {
  expect(laneName(lane({ model: "qwen3" }))).toBe("qwen3 · chat");
  expect(laneName(lane({}))).toBe("chat");
});

it("lists a lane's other requirements", () => {
  expect(laneNeeds(lane({ model: "qwen3" }))).toEqual([]);
  expect(
    laneNeeds(
      lane({ dataClass: "medical", groups: ["lab", "office"], gpu: true, memoryMb: 8_000, tags: ["avx512"] }),
    ),
  ).toEqual(["data: medical", "group: lab or office", "GPU", "8,000 MiB", "avx512"]);
  expect(laneNeeds(lane({ vramMb: 7_629 }))).toEqual(["7,629 MiB of GPU memory"]);
});

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
