import { expect, it } from "vitest";
import { parsePercents, priceWords } from "./parse-percents.ts";

it("reads percents with and without their sign", () => {
  const prices = { low: 50, normal: 100, high: 250 };
  expect(parsePercents({ low: " 50 ", normal: "100 %", high: "250%" })).toEqual({ kind: "ok", prices });
});

it.each([
  ["", /whole number/],
  ["2,5", /whole number/],
  ["-100", /whole number/],
  ["99999", /whole number/],
  ["99", /must not cost less/],
])("refuses %j for the high priority", (high, why) => {
  const parsed = parsePercents({ low: "50", normal: "100", high });
  expect(parsed).toMatchObject({ kind: "wrong", why: expect.stringMatching(why) as string });
});

it("says what priorities cost", () => {
  expect(priceWords({ low: 100, normal: 100, high: 100 })).toBe("Jobs of all priorities cost the same.");
  expect(priceWords({ low: 50, normal: 100, high: 250 })).toBe(
    "Jobs cost 50% of these prices at low priority, 100% at normal and 250% at high.",
  );
});
