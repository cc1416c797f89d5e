import { expect, it } from "vitest";
import { offerFor } from "./shelf.ts";

/** Computers with some memory report a little less than its name says. */
const computers = (...gigabytes: number[]) => gigabytes.map((size) => size * 0.97 * 2 ** 30);

it.each([
  [[8, 8, 16], "Qwen3 4B", 3],
  [[16, 16, 8], "Qwen3 8B", 2],
  [[64, 64], "Qwen3 32B", 2],
  [[4], "Qwen3 0.6B", 1],
  [[2, 2], "Qwen3 0.6B", 0],
])("offers computers with %j GB the model %s, which %i of them could run", (sizes, name, fitting) => {
  const offer = offerFor(computers(...sizes));
  expect(offer.model.name).toBe(name);
  expect([offer.fitting, offer.devices]).toEqual([fitting, sizes.length]);
});

it("offers a model of usual size before there are devices", () => {
  expect(offerFor([])).toMatchObject({ model: { name: "Qwen3 4B" }, fitting: 0, devices: 0 });
});

it("offers no model for embeddings, since a first model should chat", () => {
  for (const size of [4, 8, 16, 24, 48])
    expect(offerFor(computers(size)).model.name).not.toContain("Embedding");
});
