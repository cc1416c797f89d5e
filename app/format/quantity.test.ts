import { expect, it } from "vitest";
import { formatBytes, formatCount, formatMicroText, formatShare, plural } from "./quantity.ts";

it("groups digits", () => {
  expect([0, 999, 1_000, 1_234_567].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,567"]);
});

it("scales bytes in decimal units and never shows 1000 of one", () => {
  expect([0, 834, 999_600, 1_151_456, 4_700_000_000, 128_000_000].map(formatBytes)).toEqual([
    "0 B",
    "834 B",
    "1.0 MB",
    "1.2 MB",
    "4.7 GB",
    "128 MB",
  ]);
});

it("shows shares and plurals", () => {
  expect(formatShare(0.614)).toBe("61 %");
  expect([plural(0, "job"), plural(1, "job"), plural(2, "reply", "replies")]).toEqual([
    "0 jobs",
    "1 job",
    "2 replies",
  ]);
});

it("takes money from decimal strings, and refuses what is none", () => {
  expect(formatMicroText("12345000")).toBe("12.345");
  expect(formatMicroText("-314")).toBe("-0.000314");
  expect(formatMicroText("1e9")).toBe("–");
});
