import { expect, it } from "vitest";
import { formatCredits } from "./credits.ts";

it("shows micro-credits in credits, exactly and without trailing zeros", () => {
  expect(formatCredits("12345000")).toBe("12.345");
  expect(formatCredits("-314")).toBe("-0.000314");
  expect(formatCredits(9_007_199_254_740_993_000_001n)).toBe("9,007,199,254,740,993.000001");
});
