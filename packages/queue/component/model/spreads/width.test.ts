import { describe, expect, it } from "vitest";
import { forgottenAfterMs, ordinalsOf, widerSpread, widthAt } from "./width.ts";

const at = 1_000_000;
const spread = { width: 8, widenedAt: at };

describe("widthAt", () => {
  it.each([
    ["1 without a spread", null, 64, at, 1],
    ["as it was widened", spread, 64, at, 8],
    ["the same for a minute", spread, 64, at + 59_999, 8],
    ["half of it after a minute", spread, 64, at + 60_000, 4],
    ["a quarter after two", spread, 64, at + 120_000, 2],
    ["1 after three", spread, 64, at + 180_000, 1],
    ["1 ever after", spread, 64, at + 9_000_000, 1],
    ["no more than the lane's slots", spread, 4, at, 4],
    ["as it was for a clock that went back", spread, 64, at - 5, 8],
  ])("a spread's width is %s", (_, of, slots, now, width) => {
    expect(widthAt(of, slots, now)).toBe(width);
  });

  it("a spread's width is 1 for the widest spread when it is deleted", () => {
    expect(widthAt({ width: 16_384, widenedAt: at }, 16_384, at + forgottenAfterMs)).toBe(1);
  });
});

describe("widerSpread", () => {
  it.each([
    ["two slots at first", null, 64, at, { width: 2, widenedAt: at }],
    ["twice as many a second later", spread, 64, at + 1_000, { width: 16, widenedAt: at + 1_000 }],
    ["twice of what it narrowed to", spread, 64, at + 60_000, { width: 8, widenedAt: at + 60_000 }],
    ["nothing within a second", spread, 64, at + 999, null],
    ["nothing beyond the lane's slots", spread, 8, at + 1_000, null],
    ["nothing where there is one slot", null, 1, at, null],
  ])("the widened spread is %s", (_, of, slots, now, expected) => {
    expect(widerSpread(of, slots, now)).toEqual(expected);
  });
});

it("ordinalsOf counts earlier jobs with the same lane and affinity, and 0 without an affinity", () => {
  const job = (lane: string, affinity?: string) => ({ lane, affinity });
  const jobs = [
    job("a", "x"),
    job("a", "x"),
    job("b", "x"),
    job("a"),
    job("a", "y"),
    job("a"),
    job("a", "x"),
  ];
  expect(ordinalsOf(jobs)).toEqual([0, 1, 0, 0, 0, 0, 2]);
});
