import { describe, expect, it } from "vitest";
import { middleOfLargest, type Gap } from "./position.ts";

describe("middleOfLargest", () => {
  it.each<[string, Gap[], number]>([
    ["0 in an empty ring", [], 0],
    ["opposite of the only one", [{ from: 0, to: 0 }], 32_768],
    ["opposite of the only one, around the end", [{ from: 40_000, to: 40_000 }], 7_232],
    [
      "in the larger gap",
      [
        { from: 0, to: 10 },
        { from: 10, to: 40 },
      ],
      25,
    ],
    [
      "in the gap around the end",
      [
        { from: 10, to: 40 },
        { from: 65_500, to: 36 },
      ],
      0,
    ],
    ["between two points where it is crowded", [{ from: 3, to: 4 }], 3.5],
  ])("is %s", (_, gaps, middle) => {
    expect(middleOfLargest(gaps)).toBe(middle);
  });
});
