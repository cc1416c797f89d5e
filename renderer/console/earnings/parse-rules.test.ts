import { expect, it } from "vitest";
import { hoursWords, parseRules, type TypedRules } from "./parse-rules.ts";

const none: TypedRules = {
  months: "",
  percent: "",
  cap: "",
  days: [],
  from: "18",
  to: "24",
  perCredit: "",
  currency: "",
};
const all: TypedRules = {
  months: "12",
  percent: "50",
  cap: "2.5",
  days: [6, 0],
  from: "18",
  to: "24",
  perCredit: "0.05",
  currency: " EUR ",
};

it("reads empty fields as no rule", () => {
  expect(parseRules(none)).toEqual({ expireMonths: null, bonus: null, payout: null });
});

it("reads all rules", () => {
  expect(parseRules(all)).toEqual({
    expireMonths: 12,
    bonus: {
      percent: 50,
      capMicro: 2_500_000n,
      hours: [
        { day: 0, from: 18, to: 24 },
        { day: 6, from: 18, to: 24 },
      ],
    },
    payout: { perCreditMicro: 50_000n, currency: "EUR" },
  });
});

it.each([
  [{ months: "0" }, "months"],
  [{ months: "1.5" }, "months"],
  [{ percent: "501" }, "percent"],
  [{ from: "20", to: "20" }, "hours"],
  [{ to: "25" }, "hours"],
  [{ days: [] }, "days"],
  [{ cap: "" }, "bonus"],
  [{ perCredit: "0" }, "credit"],
  [{ currency: "" }, "currency"],
] as const)("says what is wrong with %o", (wrong, words) => {
  expect(parseRules({ ...all, ...wrong })).toEqual(expect.stringContaining(words));
});

it("names the hours of a bonus", () => {
  expect(hoursWords([{ day: 6, from: 0, to: 8 }])).toBe("Sat 0–8");
});
