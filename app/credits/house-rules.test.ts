import { describe, expect, it } from "vitest";
import { bonusOf, comingExpiries, expiredLots, expiryOf, isBonusTime } from "./house-rules.ts";

const at = (date: string): number => Date.parse(`${date}Z`);
const march = { startAt: at("2027-03-01T00:00"), micro: 5n };

describe("expiry", () => {
  const rule = { months: 2, setAt: at("2027-01-10T08:00") };

  it("comes so many months after the end of the month", () => {
    expect(expiryOf(march, rule)).toBe(at("2027-06-01T00:00"));
    expect(expiryOf(march, null)).toBeNull();
  });

  it("gives 30 days of notice after a new rule", () => {
    expect(expiryOf(march, { ...rule, setAt: at("2027-08-10T08:00") })).toBe(at("2027-09-10T00:00"));
  });

  it("takes expired credits only, and tells the coming ones", () => {
    const april = { startAt: at("2027-04-01T00:00"), micro: 7n };
    const empty = { startAt: at("2027-02-01T00:00"), micro: 0n };
    expect(expiredLots([empty, march, april], rule, at("2027-06-01T00:00"))).toEqual([march]);
    expect(expiredLots([march], null, Infinity)).toEqual([]);
    expect(comingExpiries([april, empty, march], rule)).toEqual([
      { at: at("2027-06-01T00:00"), micro: 5n },
      { at: at("2027-07-01T00:00"), micro: 7n },
    ]);
  });
});

describe("a bonus", () => {
  const hours = [{ day: 6, from: 18, to: 24 }];

  it.each([
    ["2027-01-02T18:00", true],
    ["2027-01-02T23:59", true],
    ["2027-01-02T17:59", false],
    ["2027-01-03T18:00", false],
  ])("at %s: %s", (date, isBonus) => {
    expect(isBonusTime(at(date), hours)).toBe(isBonus);
  });

  it("adds a percent, rounded down, up to the cap of the day", () => {
    const rule = { percent: 50, capMicro: 100n };
    expect(bonusOf(31n, rule, 0n)).toBe(15n);
    expect(bonusOf(31n, rule, 90n)).toBe(10n);
    expect(bonusOf(31n, rule, 150n)).toBe(0n);
  });
});
