import { expect, it } from "vitest";
import { priceWords } from "./price-words.ts";

it("shows how a price came about", () => {
  const price = { promptMicro: 20_000n, completionMicro: 500n };
  const usage = { promptTokens: 1_038, completionTokens: 12 };
  expect(priceWords({ price, percent: 100 }, usage)).toBe(
    "1,038 tokens in × 20 + 12 out × 0.5 credits per 1,000",
  );
  expect(priceWords({ price, percent: 200 }, usage)).toContain("× 200% for its priority");
  expect(priceWords({ price, percent: 100 }, null)).toBeNull();
});
