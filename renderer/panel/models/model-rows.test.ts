import { expect, it } from "vitest";
import { modelsFixture } from "../../gallery/fixtures/answers.ts";
import { snapshots } from "../../gallery/fixtures/snapshots.ts";
import { modelRows, usedBytes } from "./model-rows.ts";

const now = 1_000_000_000;
const { models: views } = snapshots(now).standby;
const listed = modelsFixture(now).models;
const rowsOf = (changed = views) => new Map(modelRows(listed, changed).map((row) => [row.modelId, row]));

it("counts whole files and parts, but not what came with the program", () => {
  const rows = modelRows(listed, views);
  expect(rows.map(({ modelId, diskBytes }) => [modelId, diskBytes])).toEqual([
    ["gleaner-demo", 1_151_456],
    ["qwen3-4b-instruct-q4", 2_497_280_256],
    ["mistral-small-24b-q4", 6_020_241_709],
    ["bge-m3", 0],
    ["phi-4-mini-q4", 2_491_874_272],
  ]);
  expect(usedBytes(rows)).toBe(2_497_280_256 + 6_020_241_709 + 2_491_874_272);
});

it("offers to remove what was or will be downloaded", () => {
  const rows = rowsOf();
  expect(rows.get("gleaner-demo")?.canRemove).toBe(false);
  expect(rows.get("qwen3-4b-instruct-q4")?.canRemove).toBe(true);
  expect(rows.get("bge-m3")?.canRemove).toBe(true);
  expect(rows.get("phi-4-mini-q4")).toMatchObject({ canRemove: true, isOffered: false });
});

it("offers to fetch what was removed or has failed", () => {
  const removed = views.map((view) =>
    view.modelId === "bge-m3"
      ? { ...view, state: "missing" as const, why: { reason: "removed" as const, detail: null } }
      : view,
  );
  expect(rowsOf(removed).get("bge-m3")).toMatchObject({ canFetch: true, canRemove: false });
  expect(rowsOf().get("bge-m3")?.canFetch).toBe(false);
});
