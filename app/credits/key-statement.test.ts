import { expect, it } from "vitest";
import { addCharges, type KeyCharge, keyStatementCsv, otherPrices, paidByKey } from "./key-statement.ts";

const charge: KeyCharge = {
  modelId: "demo",
  priceVersion: "1.0",
  promptMicro: 2_000n,
  completionMicro: 6_000n,
  percent: 100,
  jobs: 1,
  promptTokens: 10,
  completionTokens: 3,
  micro: 38_000n,
  coveredMicro: 0n,
};

it("adds up jobs of one price, and tells prices apart", () => {
  const dear = { ...charge, priceVersion: "2.0", promptMicro: 4_000n };
  const charges = addCharges(addCharges([], [charge, dear]), [charge, { ...charge, percent: 50 }]);
  expect(
    charges.map(({ priceVersion, percent, jobs, micro }) => [priceVersion, percent, jobs, micro]),
  ).toEqual([
    ["1.0", 100, 2, 76_000n],
    ["2.0", 100, 1, 38_000n],
    ["1.0", 50, 1, 38_000n],
  ]);
});

it("adds up further prices in one line", () => {
  const many = Array.from({ length: 150 }, (_, i) => ({ ...charge, priceVersion: `${String(i)}.0` }));
  const charges = addCharges([], many);
  expect(charges).toHaveLength(101);
  expect(charges.at(-1)).toMatchObject({ modelId: otherPrices, jobs: 50 });
  expect(charges.reduce((sum, { micro }) => sum + micro, 0n)).toBe(150n * 38_000n);
});

it("writes CSV whose amounts add up", () => {
  const covered = { ...charge, coveredMicro: 8_000n };
  const csv = keyStatementCsv({
    from: Date.UTC(2026, 4, 1),
    to: Date.UTC(2026, 5, 1),
    charges: [covered],
    free: { own: 2, failed: 1, canceled: 0, expired: 0 },
    moves: [
      { at: Date.UTC(2026, 4, 3), micro: 1_000_000n, note: "A new quarter" },
      { at: Date.UTC(2026, 4, 4), micro: 0n, note: null, source: { kind: "earned" } },
    ],
    openingMicro: 500_000n,
    closingMicro: 1_470_000n,
  });
  expect(csv.trim().split(/\r?\n/).slice(1)).toEqual([
    "2026-05-01,opening balance,,,,,,,,,,,0.500000",
    "2026-05-03,Credits given,A new quarter,,,,,,,,,1.000000,",
    "2026-05-04,Earned credits,,,,,,,,,,0.000000,",
    "2026-05-31,jobs,demo,1.0,1,10,3,2.000,6.000,100,0.008000,-0.030000,",
    "2026-05-31,without charge: by own devices,,,2,,,,,,,0.000000,",
    "2026-05-31,without charge: failed,,,1,,,,,,,0.000000,",
    "2026-05-31,closing balance,,,,,,,,,,,1.470000",
  ]);
  expect(paidByKey({ charges: [covered] })).toBe(30_000n);
});
