import { expect, it } from "vitest";
import {
  formatBytes,
  formatCount,
  formatExactMebibytes,
  formatMebibytes,
  formatPercent,
  formatRate,
  formatRoundMebibytes,
  formatShare,
  moneyWords,
  plural,
} from "./quantity.ts";

it("groups the digits of a count", () => {
  expect([0, 999, 1_000, 1_234_567].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,567"]);
});

it("scales bytes in decimal units and never shows 1000 of one", () => {
  expect([0, 834, 999_600, 1_151_456, 4_700_000_000, 128_000_000].map(formatBytes)).toEqual([
    "0 kB",
    "0.8 kB",
    "1 MB",
    "1.2 MB",
    "4.7 GB",
    "128 MB",
  ]);
});

it("shows a measured size in decimal units, but the number of a rule exactly", () => {
  expect([834.4, 6_000, 20_480].map(formatMebibytes)).toEqual(["874.9 MB", "6.3 GB", "21.5 GB"]);
  expect([238, 512, 954, 19_073, 20_480].map(formatRoundMebibytes)).toEqual([
    "250 MB",
    "537 MB",
    "1 GB",
    "20 GB",
    "21.5 GB",
  ]);
  expect([0, 512, 1_500, 20_480].map(formatExactMebibytes)).toEqual([
    "0 MiB",
    "512 MiB",
    "1,500 MiB",
    "20 GiB",
  ]);
});

it("shows a share in percent, and a count with its noun", () => {
  expect(formatShare(0.614)).toBe("61%");
  expect([
    plural(0, ["# job", "# jobs"]),
    plural(1, ["# job", "# jobs"]),
    plural(2, ["# reply", "# replies"]),
  ]).toEqual(["0 jobs", "1 job", "2 replies"]);
});

it.each([
  [1, "100%"],
  [0.9999, "99.9%"],
  [0.5, "50.0%"],
  [0, "0.0%"],
])("says that %d is %s", (rate, words) => {
  expect(formatRate(rate)).toBe(words);
});

it("shows whole percents as it shows shares", () => {
  expect([0, 7, 100, 250].map(formatPercent)).toEqual(["0%", "7%", "100%", "250%"]);
});

it("writes money in few digits", () => {
  expect([12.4, 0.00123, 0, 1_234.567].map((each) => moneyWords(each, "EUR"))).toEqual([
    "12.4 EUR",
    "0.0012 EUR",
    "0 EUR",
    "1,234.57 EUR",
  ]);
});
