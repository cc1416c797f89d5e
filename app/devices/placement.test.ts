import { expect, it } from "vitest";
import { addPreviews, isByHand, noPreview, type PlacedFacts, placementOf, previewOf } from "./placement.ts";

const device = (change: Partial<PlacedFacts> = {}): PlacedFacts => ({
  name: "laptop",
  platform: "linux",
  version: "0.3.0",
  models: [],
  memoryMb: 32_000,
  groups: [],
  ...change,
});

const linux = { _id: "r1", group: "Linux", filter: { platform: "linux" } };
const large = { _id: "r2", group: "Large", filter: { memoryGb: 24 } };

it("places a device by the first rule that it fits", () => {
  expect(placementOf(device(), [linux, large])).toEqual({ groups: ["Linux"], placedBy: "r1" });
  expect(placementOf(device(), [large, linux])).toEqual({ groups: ["Large"], placedBy: "r2" });
  expect(placementOf(device({ platform: "win32", memoryMb: 1 }), [linux, large])).toEqual({ groups: [] });
});

it("leaves a device where a hand put it, and takes it out of a group whose rule it fits no more", () => {
  const byHand = device({ groups: ["Night"], placedBy: "hand" });
  expect(placementOf(byHand, [linux])).toEqual(byHand);
  expect(isByHand(device({ groups: [], placedBy: "hand" }))).toBe(true);
  expect(isByHand(device({ groups: ["Of an earlier version"] }))).toBe(true);
  expect(isByHand(device())).toBe(false);
  const placed = device({ platform: "win32", memoryMb: 1, groups: ["Linux"], placedBy: "r1" });
  expect(placementOf(placed, [linux])).toEqual({ groups: [] });
});

it("previews which devices a rule moves, and why others stay", () => {
  const devices = [
    device({ name: "moves" }),
    device({ name: "there", groups: ["Large"], placedBy: "r2" }),
    device({ name: "by hand", groups: ["Night"], placedBy: "hand" }),
    device({ name: "small", memoryMb: 1 }),
  ];
  expect(previewOf(devices, [large], large)).toEqual({
    moves: 1,
    same: 1,
    byHand: 1,
    earlier: 0,
    names: ["moves"],
  });
  const placed = [device({ groups: ["Linux"], placedBy: "r1" })];
  expect(previewOf(placed, [linux, large], large)).toEqual({ ...noPreview, earlier: 1 });
  expect(previewOf(placed, [], null)).toEqual({ ...noPreview, moves: 1, names: ["laptop"] });
});

it("adds up the previews of several pages, and keeps the first names", () => {
  const page = { ...noPreview, moves: 3, names: ["a", "b", "c"] };
  expect(addPreviews(page, page)).toMatchObject({ moves: 6, names: ["a", "b", "c", "a", "b"] });
});
