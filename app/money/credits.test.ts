import { expect, it } from "vitest";
import {
  columnCredits,
  exactColumn,
  formatCredits,
  formatExactCredits,
  partialPay,
  priceOf,
  spellCredits,
} from "./credits.ts";

it("shows micro-credits in credits, exactly and without trailing zeros", () => {
  expect(formatExactCredits("12345000")).toBe("12.345");
  expect(formatExactCredits("-314")).toBe("-0.000314");
  expect(formatExactCredits(9_007_199_254_740_993_000_001n)).toBe("9,007,199,254,740,993.000001");
});

it.each([
  [0n, "0 cr"],
  [1n, "0.000001 cr"],
  [284n, "0.000284 cr"],
  [-314n, "-0.000314 cr"],
  [1_620n, "0.00162 cr"],
  [99_999n, "0.1 cr"],
  [999_499n, "0.999 cr"],
  [1_234_567n, "1.23 cr"],
  [214_880_310n, "214.88 cr"],
  ["1000000000000", "1,000,000 cr"],
] as const)("shows %s micro-credits in credits with few digits: %s", (micro, words) => {
  expect(formatCredits(micro)).toBe(words);
});

it.each([
  [0n, "0 credits"],
  [420_000n, "0.42 credits"],
  [1_000_000n, "1 credit"],
  ["214880310", "214.88 credits"],
] as const)("says %s micro-credits in words: %s", (micro, words) => {
  expect(spellCredits(micro)).toBe(words);
});

it.each([
  ["the prompt and its part of the answer", { share: 0.25, earned: 1_000n, left: 1_000n }, 210n, null],
  ["no more than half of what the answer earned", { share: 0.9, earned: 1_000n, left: 1_000n }, 500n, "half"],
  ["no more than is left of the highest price", { share: 0.25, earned: 1_000n, left: 7n }, 7n, "rest"],
  ["nothing without a part", { share: 0, earned: 1_000n, left: 1_000n }, 0n, null],
  [
    "no more for a part that is larger than the answer",
    { share: 7, earned: 2_000n, left: 2_000n },
    810n,
    null,
  ],
] as const)("pays %s", (_, bounds, micro, limit) => {
  const price = { promptMicro: 1n, completionMicro: 8n };
  const pay = partialPay(price, { promptTokens: 10, completionTokens: 100 }, bounds);
  expect(pay).toMatchObject({ micro, limit });
});

it("multiplies the price by the percent of a priority, rounded down", () => {
  const price = { promptMicro: 1n, completionMicro: 3n };
  const usage = { promptTokens: 4, completionTokens: 1 };
  expect(priceOf({ ...price, percent: 100 }, usage)).toBe(priceOf(price, usage));
  expect(priceOf({ ...price, percent: 250 }, usage)).toBe(17n);
  expect(priceOf({ ...price, percent: 10 }, usage)).toBe(0n);
});

it.each([
  ["credits", [12_345_678n, 1_000_000n, 710_000n, 0n, null], ["12.35 cr", "1.00 cr", "0.71 cr", "0.00 cr"]],
  ["credits and parts", [1_204_310n, 4_500n, 7n], ["1.2043 cr", "0.0045 cr", "<0.0001 cr"]],
  ["many credits", [214_880_310_000n, 100_500_000n, 20n], ["214,880 cr", "101 cr", "<1 cr"]],
  ["parts of a credit", ["123456", "5000"], ["0.1235 cr", "0.0050 cr"]],
  ["thousandths", [1_620n, 20n, 7n], ["0.001620 cr", "0.000020 cr", "0.000007 cr"]],
  ["nothing", [0n], ["0.00 cr"]],
  ["debts", [-2_500_000n, 20_000n], ["-2.500 cr", "0.020 cr"]],
])("gives all amounts of a column the same decimals: %s", (_, amounts, words) => {
  const format = columnCredits(amounts);
  expect(amounts.flatMap((amount) => (amount === null ? [] : format(amount)))).toEqual(words);
});

it.each([
  [
    [100_000_000_000n, -4_590_000n, 99_995_410_000n],
    ["100,000.00 cr", "-4.59 cr", "99,995.41 cr"],
  ],
  [
    [1_000_000n, -284n, 999_716n],
    ["1.000000 cr", "-0.000284 cr", "0.999716 cr"],
  ],
  [[0n], ["0.00 cr"]],
])("gives all amounts of a statement as many decimals as the most exact one needs: %s", (amounts, words) => {
  expect(amounts.map(exactColumn(amounts))).toEqual(words);
});
