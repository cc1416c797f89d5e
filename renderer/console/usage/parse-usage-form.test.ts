import { expect, it } from "vitest";
import { parseCredits, parseFacts, parseNumber } from "./parse-usage-form.ts";

it("reads credits exactly", () => {
  expect(parseCredits(" 1,250.5 ")).toBe(1_250_500_000n);
  expect(parseCredits("0.000001")).toBe(1n);
  for (const wrong of ["", "0", "-1", "1e3", "1.0000001", "1000000001", "x"]) {
    expect([wrong, typeof parseCredits(wrong)]).toEqual([wrong, "string"]);
  }
});

it("reads numbers within bounds, and an empty field as unknown", () => {
  expect([parseNumber("", 5), parseNumber("0", 5), parseNumber(".5", 5), parseNumber("5", 5)]).toEqual([
    null,
    0,
    0.5,
    5,
  ]);
  expect(parseNumber("6", 5)).toBe("Must be a number from 0 to 5.");
  expect(parseNumber("-1", 5)).toMatch("Must be");
});

it("reads the numbers of a comparison, and asks for the currency of prices", () => {
  const price = { modelId: "m", prompt: "0.5", completion: "" };
  const typed = { currency: " EUR ", watts: "40", grams: "", prices: [price] };
  expect(parseFacts(typed)).toEqual({
    kind: "ok",
    facts: {
      currency: "EUR",
      watts: 40,
      gramsPerKwh: null,
      cloudPrices: [{ modelId: "m", prompt: 0.5, completion: 0 }],
    },
  });
  expect(parseFacts({ ...typed, currency: "" })).toMatchObject({ kind: "wrong" });
  expect(parseFacts({ ...typed, watts: "many" })).toMatchObject({
    why: "Power: Must be a number from 0 to 10,000.",
  });
  const none = { ...typed, currency: "", prices: [{ ...price, prompt: " " }] };
  expect(parseFacts(none)).toMatchObject({ kind: "ok", facts: { cloudPrices: [] } });
});

it("reads one carbon intensity, or one for each hour of the day", () => {
  const carbonOf = (grams: string): unknown => {
    const parsed = parseFacts({ currency: "", watts: "", grams, prices: [] });
    return parsed.kind === "ok" ? parsed.facts.gramsPerKwh : parsed.why;
  };
  expect(carbonOf("350")).toBe(350);
  const hours = Array.from({ length: 24 }, (_, hour) => 100 + hour);
  expect(carbonOf(hours.join(" "))).toEqual(hours);
  expect(carbonOf("1 2")).toBe("Grid: These are 2 numbers. Enter 1 or 24.");
  expect(carbonOf("-1")).toBe("Grid: Must be numbers from 0 to 5,000.");
  expect(carbonOf("much")).toBe("Grid: “much” is no number.");
});
