import { describe, expect, it } from "vitest";
import { equalPrices } from "../jobs/priority.ts";
import {
  factorsMistake,
  fromNow,
  isInHours,
  partsOf,
  percentOf,
  type PriceFactors,
  validAt,
  withoutClass,
} from "./price-list.ts";

const usual: PriceFactors = { ...equalPrices, text: 100, embedding: 100, hours: null };
const at = (hour: number): number => Date.UTC(2026, 5, 1, hour, 30);

describe("the percent of a job", () => {
  const factors: PriceFactors = {
    low: 50,
    normal: 100,
    high: 200,
    text: 100,
    embedding: 30,
    hours: { from: 22, to: 6, percent: 60 },
  };

  it("is the product of priority, kind and hour", () => {
    expect(percentOf(usual, { priority: "low", kind: "text", at: at(3) })).toBe(100);
    expect(percentOf(factors, { priority: "high", kind: "text", at: at(12) })).toBe(200);
    expect(percentOf(factors, { priority: "high", kind: "text", at: at(23) })).toBe(120);
    expect(percentOf(factors, { priority: "low", kind: "embedding", at: at(5) })).toBe(9);
    expect(partsOf(factors, { priority: "low", kind: "embedding", at: at(5) })).toEqual({
      priority: 50,
      kind: 30,
      hour: 60,
    });
  });

  it("has that of the data class", () => {
    const withClasses = { ...factors, classes: [{ name: "restricted", percent: 150 }] };
    const job = { priority: "normal", kind: "embedding", at: at(12) } as const;
    expect(percentOf(withClasses, job)).toBe(30);
    expect(percentOf(withClasses, { ...job, dataClass: "internal" })).toBe(30);
    const restricted = { ...job, dataClass: "restricted" };
    expect(percentOf(withClasses, restricted)).toBe(45);
    const parts = partsOf(withClasses, restricted);
    expect(parts).toEqual({ priority: 100, kind: 30, dataClass: 150, hour: 100 });
    expect(withoutClass(parts)).toEqual({ priority: 100, kind: 45, hour: 100 });
    // 13.2 % would not be shown as it is.
    expect(withoutClass({ ...parts, kind: 11, dataClass: 120 })).toBeNull();
  });

  it("is never nothing", () => {
    const least = { low: 10, normal: 10, high: 10, text: 10, embedding: 10, hours: null };
    expect(percentOf(least, { priority: "low", kind: "text", at: 0 })).toBe(1);
  });

  it.each([
    [22, true],
    [5, true],
    [6, false],
    [21, false],
  ])("counts hours that go on after midnight: %i", (hour, isIn) => {
    expect(isInHours(at(hour), { from: 22, to: 6, percent: 60 })).toBe(isIn);
  });

  it("counts hours within a day", () => {
    expect([8, 9, 16, 17].map((hour) => isInHours(at(hour), { from: 9, to: 17, percent: 60 }))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("is checked", () => {
    expect(factorsMistake(factors)).toBeNull();
    expect(factorsMistake({ ...usual, embedding: 9 })).toContain("10 to 1000");
    const restricted = { name: "restricted", percent: 150 };
    expect(factorsMistake({ ...usual, classes: [restricted] })).toBeNull();
    expect(factorsMistake({ ...usual, classes: [{ ...restricted, percent: 5 }] })).toContain("10 to 1000");
    expect(factorsMistake({ ...usual, classes: [restricted, restricted] })).toContain("one price only");
    expect(factorsMistake({ ...usual, low: 150 })).toContain("higher priority");
    expect(factorsMistake({ ...usual, hours: { from: 3, to: 3, percent: 50 } })).toContain("different");
    expect(factorsMistake({ ...usual, hours: { from: 3, to: 24, percent: 50 } })).toContain("hour");
  });
});

describe("a list of versions", () => {
  const list = [
    { version: 3, from: 300, value: "c" },
    { version: 1, from: 100, value: "a" },
    { version: 2, from: 200, value: "b" },
  ];

  it("has the last one that has begun", () => {
    expect([99, 100, 199, 200, 1_000].map((now) => validAt(list, now)?.value)).toEqual([
      undefined,
      "a",
      "a",
      "b",
      "c",
    ]);
  });

  it("keeps the valid one and those that come", () => {
    expect(fromNow(list, 250).map(({ version }) => version)).toEqual([2, 3]);
    expect(fromNow(list, 50).map(({ version }) => version)).toEqual([1, 2, 3]);
  });
});
