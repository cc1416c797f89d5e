import { expect, it } from "vitest";
import { decimalOf, moneyOf, payoutCents, payrollCsv } from "./payout.ts";
import { creditStatementCsv } from "./statement.ts";

it.each([
  [1_000_000n, 50_000n, 5n],
  [1_234_567n, 50_000n, 6n],
  [199_999n, 50_000n, 0n],
  [1_000_000_000n, 1_000_000n, 100_000n],
])("pays %s micro-credits at %s a credit as %s hundredths, rounded down", (micro, perCredit, cents) => {
  expect(payoutCents(micro, perCredit)).toBe(cents);
});

it("writes exact decimals", () => {
  expect(decimalOf(1n, 2)).toBe("0.01");
  expect(decimalOf(-1_234_567n, 6)).toBe("-1.234567");
  expect(moneyOf(123_456n, "EUR")).toBe("1,234.56 EUR");
  // Doubles do not have it.
  expect(moneyOf(900_719_925_474_099_301n, "EUR")).toBe("9,007,199,254,740,993.01 EUR");
});

it("lists approved payouts for payroll", () => {
  const csv = payrollCsv([
    {
      payoutId: "p1",
      member: { id: "m1", name: "Ada, the first", email: null },
      micro: 2_500_000n,
      currency: "EUR",
      perCreditMicro: 50_000n,
      cents: 12n,
      askedAt: Date.parse("2027-01-02T10:00Z"),
      decidedAt: Date.parse("2027-01-03T10:00Z"),
      decidedBy: "Bo",
    },
  ]);
  expect(csv.split("\r\n")).toEqual([
    "payout,member,name,email,asked,approved,approved_by,credits,per_credit,amount,currency",
    'p1,m1,"Ada, the first",,2027-01-02,2027-01-03,Bo,2.500000,0.050000,0.12,EUR',
    "",
  ]);
});

it("writes a statement whose lines add up", () => {
  const at = Date.parse("2027-01-05T10:00Z");
  const csv = creditStatementCsv({
    from: Date.parse("2027-01-01Z"),
    to: Date.parse("2027-02-01Z"),
    openingMicro: 1_000_000n,
    devices: [{ name: "Laptop", jobs: 3, micro: 3_000_000n, bonusMicro: 1_000_000n }],
    moves: [
      { kind: "given", micro: -500_000n, at, other: "Bo", note: "=Thanks" },
      { kind: "granted", micro: 250_000n, at, other: "Cy", note: "A course" },
      {
        kind: "allowance",
        micro: 250_000n,
        at,
        other: "Cy",
        period: { every: "month", start: Date.parse("2027-01-01Z") },
        note: "For tests",
      },
    ],
    closingMicro: 4_000_000n,
  });
  expect(csv.trimEnd().split("\r\n")).toEqual([
    "date,line,name,note,jobs,credits,balance",
    "2027-01-01,opening balance,,,,,1.000000",
    "2027-01-31,earned,Laptop,,3,2.000000,",
    "2027-01-31,bonus hours,Laptop,,,1.000000,",
    "2027-01-05,given,Bo,'=Thanks,,-0.500000,",
    "2027-01-05,given by an administrator,Cy,A course,,0.250000,",
    "2027-01-05,Allowance for January 2027,Cy,For tests,,0.250000,",
    "2027-01-31,closing balance,,,,,4.000000",
  ]);
});
