import { expect, it } from "vitest";
import { type Lane, laneName, laneNeeds, laneTitle } from "./lane.ts";

const lane = (requirements: Lane["requirements"]): Lane => ({ kind: "chat", requirements });

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
  ).toEqual(["data: medical", "group: lab or office", "GPU", "8.4 GB", "avx512"]);
  expect(laneNeeds(lane({ vramMb: 7_629 }))).toEqual(["8 GB of GPU memory"]);
});

it("tells a lane's whole title by the name that the queue gives it", () => {
  expect(laneTitle('["chat",{"groups":["lab"],"model":"qwen3"}]')).toBe("qwen3 · chat, group: lab");
  expect(laneTitle("k57lane")).toBeNull();
});
