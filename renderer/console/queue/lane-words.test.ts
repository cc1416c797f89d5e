import { expect, it } from "vitest";
import type { LaneRow } from "../data/rows.ts";
import { laneName, laneNeeds } from "./lane-words.ts";

const lane = (requirements: LaneRow["requirements"]): LaneRow => ({
  laneId: "l1",
  kind: "chat",
  requirements,
  state: "open",
  slots: 16,
  ready: 0,
  waiting: 0,
  running: 0,
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
