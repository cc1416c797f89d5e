import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Capabilities, Requirements } from "../../../shared/validators.ts";
import { canonical, laneName, matches } from "./requirements.ts";

const names = fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 });
const requirements = fc.record(
  {
    model: fc.string({ maxLength: 4 }),
    memoryMb: fc.nat(3),
    vramMb: fc.nat(3),
    gpu: fc.boolean(),
    contextTokens: fc.nat(3),
    tags: names,
    groups: names,
    labels: names,
    dataClass: fc.string({ maxLength: 4 }),
  },
  { requiredKeys: [] },
);

it("a lane's name is equal for equal requirements in any order", () => {
  fc.assert(
    fc.property(requirements, (one) => {
      const mixed = Object.fromEntries(Object.entries(one).reverse());
      const other = {
        ...mixed,
        ...(one.tags === undefined ? {} : { tags: [...one.tags, ...one.tags].reverse() }),
      };
      expect(laneName("k", canonical(other))).toBe(laneName("k", canonical(one)));
      expect(canonical(canonical(one))).toEqual(canonical(one));
    }),
  );
});

it("a lane's name omits fields that require nothing, and no others", () => {
  expect(
    canonical({ gpu: false, memoryMb: 0, vramMb: 0, contextTokens: 0, tags: [], groups: [], labels: [] }),
  ).toEqual({});
  expect(laneName("a", canonical({ tags: ["b"] }))).not.toBe(laneName("a", canonical({ groups: ["b"] })));
  expect(laneName("a", {})).not.toBe(laneName("b", {}));
});

const capabilities: Capabilities = {
  kinds: ["chat", "ocr"],
  models: ["small", "large"],
  memoryMb: 8_192,
  vramMb: 7_680,
  gpu: true,
  contextTokens: 4_096,
  contexts: [{ model: "large", contextTokens: 2_048 }],
  tags: ["eu", "fast"],
};

const able = {
  capabilities,
  groups: ["design"],
  labels: ["locked room", "owned"],
  dataClasses: ["internal"],
};

const bare = { capabilities: { kinds: ["chat"] }, groups: [], dataClasses: [] };

describe("matches", () => {
  it.each<[string, Requirements | undefined, boolean, boolean]>([
    ["nothing", undefined, true, true],
    ["nothing, in words", {}, true, true],
    ["a model that it has", { model: "large" }, true, false],
    ["a model that it has not", { model: "huge" }, false, false],
    ["as much memory as it has", { memoryMb: 8_192 }, true, false],
    ["more memory", { memoryMb: 8_193 }, false, false],
    ["no memory", { memoryMb: 0 }, true, true],
    ["as much of a GPU's memory as is free there", { vramMb: 7_680 }, true, false],
    ["more of a GPU's memory", { vramMb: 7_681 }, false, false],
    ["none of a GPU's memory", { vramMb: 0 }, true, true],
    ["a GPU", { gpu: true }, true, false],
    ["no GPU", { gpu: false }, true, true],
    ["as long a context as it has", { contextTokens: 4_096 }, true, false],
    ["as long a context as the model has there", { model: "large", contextTokens: 2_048 }, true, false],
    ["a longer context than the model has there", { model: "large", contextTokens: 2_049 }, false, false],
    ["the context of all other models", { model: "small", contextTokens: 4_096 }, true, false],
    ["a longer context", { contextTokens: 4_097 }, false, false],
    ["tags that it has all of", { tags: ["fast", "eu"] }, true, false],
    ["tags that it has one of", { tags: ["fast", "us"] }, false, false],
    ["no tags", { tags: [] }, true, true],
    ["groups that it is in one of", { groups: ["sales", "design"] }, true, false],
    ["groups that it is in none of", { groups: ["sales"] }, false, false],
    ["no groups", { groups: [] }, true, true],
    ["labels that it was given all of", { labels: ["owned", "locked room"] }, true, false],
    ["labels that it was given one of", { labels: ["owned", "encrypted"] }, false, false],
    ["a label that it only reports, as a tag", { labels: ["eu"] }, false, false],
    ["no labels", { labels: [] }, true, true],
    ["a data class that it is allowed", { dataClass: "internal" }, true, false],
    ["a data class that it is not allowed", { dataClass: "secret" }, false, false],
    [
      "all at once",
      { model: "small", memoryMb: 1, gpu: true, tags: ["eu"], groups: ["design"] },
      true,
      false,
    ],
    [
      "all but one",
      { model: "small", memoryMb: 1, gpu: true, tags: ["us"], groups: ["design"] },
      false,
      false,
    ],
  ])("a worker matches requirements of %s", (_, requirements, expected, ofBare) => {
    expect(matches(able, "chat", requirements)).toBe(expected);
    expect(matches(bare, "chat", requirements)).toBe(ofBare);
  });

  it("a worker matches only if it has reported its capabilities, with this kind", () => {
    expect(matches(able, "hash")).toBe(false);
    expect(matches({ groups: [], dataClasses: [] }, "chat")).toBe(false);
  });
});
