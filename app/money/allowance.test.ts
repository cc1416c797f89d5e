import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allowanceKinds,
  allowancePeriods,
  allowanceTermsText,
  amountDue,
  nextPeriodStart,
  periodStart,
} from "./allowance.ts";

const at = (date: string): number => Date.parse(`${date}Z`);
const period = fc.constantFrom(...allowancePeriods);
const moment = fc.integer({ min: 0, max: at("2200-01-01T00:00") });

describe("periods", () => {
  it.each([
    ["day", "2026-11-18T15:30", "2026-11-18T00:00", "2026-11-19T00:00"],
    ["day", "2026-12-31T23:59", "2026-12-31T00:00", "2027-01-01T00:00"],
    ["week", "2026-11-18T15:30", "2026-11-16T00:00", "2026-11-23T00:00"],
    ["week", "2026-11-16T00:00", "2026-11-16T00:00", "2026-11-23T00:00"],
    ["week", "2026-11-15T23:59", "2026-11-09T00:00", "2026-11-16T00:00"],
    ["month", "2026-12-31T23:59", "2026-12-01T00:00", "2027-01-01T00:00"],
    ["month", "2028-02-29T12:00", "2028-02-01T00:00", "2028-03-01T00:00"],
  ] as const)("of a %s around %s", (every, now, start, next) => {
    expect(periodStart(every, at(now))).toBe(at(start));
    expect(nextPeriodStart(every, at(now))).toBe(at(next));
  });

  it("follow each other without a gap, and each moment is in exactly one", () => {
    fc.assert(
      fc.property(period, moment, (every, now) => {
        const [start, next] = [periodStart(every, now), nextPeriodStart(every, now)];
        expect(start).toBeLessThanOrEqual(now);
        expect(next).toBeGreaterThan(now);
        expect(periodStart(every, next)).toBe(next);
        expect(periodStart(every, next - 1)).toBe(start);
        if (every === "week") expect(new Date(start).getUTCDay()).toBe(1);
      }),
    );
  });
});

describe("the amount due", () => {
  const terms = { every: "month", micro: 100n } as const;

  it("is the whole amount, or what is missing to it", () => {
    expect(amountDue({ ...terms, kind: "add" }, 70n)).toBe(100n);
    expect(amountDue({ ...terms, kind: "top-up" }, 70n)).toBe(30n);
    expect(amountDue({ ...terms, kind: "top-up" }, 100n)).toBe(0n);
    expect(amountDue({ ...terms, kind: "top-up" }, 250n)).toBe(0n);
  });

  it("is never negative or more than the amount, and a top-up leaves at least the amount", () => {
    const micro = fc.bigInt({ min: 1n, max: 10n ** 15n });
    const available = fc.bigInt({ min: -(10n ** 6n), max: 10n ** 16n });
    fc.assert(
      fc.property(fc.constantFrom(...allowanceKinds), micro, available, (kind, amount, left) => {
        const due = amountDue({ every: "day", kind, micro: amount }, left);
        expect(due >= 0n && due <= amount).toBe(true);
        if (left >= 0n) expect(left + due >= amount).toBe(true);
        if (kind === "top-up" && due > 0n && left >= 0n) expect(left + due).toBe(amount);
      }),
    );
  });
});

it("is named after its terms", () => {
  expect(allowanceTermsText({ every: "month", kind: "add", micro: 1_500_000n })).toBe(
    "1.5 credits each month",
  );
  expect(allowanceTermsText({ every: "week", kind: "top-up", micro: 2_000_000_000n })).toBe(
    "topped up to 2,000 credits each week",
  );
});
