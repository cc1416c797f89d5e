import { expect, it } from "vitest";
import { openPriceWords, priceNotes, priceWords } from "./price-words.ts";

it("shows how a price came about", () => {
  const price = { promptMicro: 20_000n, completionMicro: 500n };
  const usage = { promptTokens: 1_038, completionTokens: 12 };
  expect(priceWords({ price, percent: 100 }, usage)).toBe(
    "1,038 tokens in × 20 + 12 out × 0.5 credits per 1,000",
  );
  expect(priceWords({ price, percent: 200 }, usage)).toContain("× 200% for its priority");
  expect(priceWords({ price, percent: 100 }, null)).toBeNull();
});

const cost = {
  price: { promptMicro: 1n, completionMicro: 1n },
  percent: 100,
  parts: null,
  version: "3.2",
  reservedMicro: 2_000_000n,
  mostMicro: 8_000_000n,
  coveredMicro: 0n,
  outrunMicro: 0n,
  settled: false,
};

it("tells the version, what a lost job gave back, and what the organization paid", () => {
  expect(priceNotes({ status: "running", ownJob: false, cost })).toEqual(["Price version 3.2."]);
  expect(priceNotes({ status: "failed", ownJob: false, cost })[0]).toContain("got back the reserved 2 cr");
  const covered = { ...cost, coveredMicro: 500_000n };
  expect(priceNotes({ status: "succeeded", ownJob: false, cost: covered })[0]).toContain("paid 0.5 cr");
  const outrun = { ...cost, outrunMicro: 200_000n };
  expect(priceNotes({ status: "succeeded", ownJob: false, cost: outrun })[0]).toContain(
    "0.2 cr of it paid another device",
  );
});

it("tells what an open job has reserved, and may cost at most", () => {
  expect(openPriceWords(cost)).toBe("not paid yet; 2 cr reserved, at most 8 cr");
  expect(openPriceWords({ ...cost, mostMicro: 2_000_000n })).toBe("not paid yet; up to 2 cr reserved");
});
