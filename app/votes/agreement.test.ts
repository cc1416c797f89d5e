import { describe, expect, it } from "vitest";
import { agreementOf, isMajority } from "./agreement.ts";

const vote = (...texts: readonly string[]) => agreementOf(texts.map((text) => ({ text })));

describe("a vote", () => {
  it("chooses an answer of the largest group", () => {
    expect(vote("Bergen", "Oslo", "oslo.")).toEqual({ chosen: 1, groups: [2, 1] });
    expect(vote("Oslo", "Oslo", "Oslo")).toEqual({ chosen: 0, groups: [3] });
    expect(vote("a", "b", "b", "c", "c")).toEqual({ chosen: 1, groups: [2, 2, 1] });
  });

  it("chooses the first answer if all differ, and the only one if there is one", () => {
    expect(vote("a", "b", "c")).toEqual({ chosen: 0, groups: [1, 1, 1] });
    expect(vote("a")).toEqual({ chosen: 0, groups: [1] });
  });

  it("chooses the text that is most similar to the others of its group", () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${String(at)}x`);
    const without = (from: number, to: number) => [...words.slice(0, from), ...words.slice(to)].join(" ");
    expect(vote(without(0, 5), words.join(" "), without(25, 30))).toEqual({ chosen: 1, groups: [3] });
  });

  it("puts no two answers into a group that do not agree with each other", () => {
    const words = Array.from(
      { length: 40 },
      (_, at) => `${"abcdefghijklmnopqrst".charAt(at % 20)}${at < 20 ? "x" : "y"}`,
    );
    const without = (from: number, to: number) => [...words.slice(0, from), ...words.slice(to)].join(" ");
    expect(vote(without(0, 14), words.join(" "), without(26, 40)).groups).toEqual([2, 1]);
  });

  it("refuses to be empty", () => {
    expect(() => vote()).toThrow("no answers");
  });
});

it.each([
  [[1], true],
  [[1, 1], false],
  [[2], true],
  [[2, 1], true],
  [[2, 2, 1], false],
  [[3, 1, 1], true],
])("a vote with groups of %j answers has a majority: %s", (groups, expected) => {
  expect(isMajority(groups)).toBe(expected);
});
