import { describe, expect, it } from "vitest";
import { chooseSequence } from "./sequences.ts";

describe("chooseSequence", () => {
  const empty = { shared: 0, held: 0, usedAt: -1 };
  const old = { shared: 5, held: 500, usedAt: 1 };
  const recent = { shared: 5, held: 500, usedAt: 9 };
  const alike = { shared: 400, held: 500, usedAt: 3 };
  it.each([
    ["the one that holds most of the prompt", [empty, old, alike, recent], 2],
    ["an empty one rather than one that shares a template", [old, empty, recent], 1],
    ["the least recently used one", [recent, old], 1],
    ["none from an empty list", [], -1],
  ])("chooses %s", (_, free, index) => {
    expect(chooseSequence(free)).toBe(index);
  });
});
