import { expect, it } from "vitest";
import { exceededQuota, type KeyCount, noCount, type Quotas, quotasWords, useOf } from "./quotas.ts";

const now = Date.UTC(2026, 1, 27, 22, 30);
const day = (date: number, count: Partial<KeyCount>) => ({
  startAt: Date.UTC(2026, 1, date),
  ...noCount,
  ...count,
});
const one: KeyCount = { requests: 1, tokens: 400, micro: 2_000_000n };
const judge = (quotas: Quotas, used: Partial<KeyCount>, asked = one) =>
  exceededQuota(quotas, useOf([day(27, used)], now), asked, now);

it("adds up the present day and month, in UTC", () => {
  const january = { ...day(1, { requests: 100 }), startAt: Date.UTC(2026, 0, 31) };
  const days = [january, day(1, { requests: 5, tokens: 7 }), day(27, { requests: 2, micro: 3n })];
  expect(useOf(days, now)).toEqual({
    day: { requests: 2, tokens: 0, micro: 3n },
    month: { requests: 7, tokens: 7, micro: 3n },
  });
});

it("accepts a request that fills a quota, and refuses the next one", () => {
  for (const [quota, full] of [
    [{ requests: 10 }, { requests: 9 }],
    [{ tokens: 1_000 }, { tokens: 600 }],
    [{ micro: 5_000_000n }, { micro: 3_000_000n }],
  ] as const) {
    expect(judge({ day: { ...quota } }, full)).toBe(null);
    const more = { requests: 10, tokens: 601, micro: 3_000_001n };
    expect(judge({ day: { ...quota } }, more)?.resetAt).toBe(Date.UTC(2026, 1, 28));
  }
});

it("says the bound, what is used, what the request needs, and when the quota begins anew", () => {
  expect(judge({ day: { tokens: 1_000 } }, { tokens: 900 })?.message).toBe(
    "This API key has a quota of 1,000 tokens a day: 900 tokens used or reserved, and this request may need 400 tokens. The quota begins anew at 2026-02-28 00:00 UTC. An administrator can raise it.",
  );
  expect(judge({ month: { requests: 1 } }, { requests: 1 })?.message).toBe(
    "This API key has a quota of 1 request a month: 1 request used or reserved. The quota begins anew at 2026-03-01 00:00 UTC. An administrator can raise it.",
  );
});

it("tells the later end if the quotas of the day and the month are used up", () => {
  const quotas = { day: { requests: 1 }, month: { requests: 1 } };
  expect(judge(quotas, { requests: 1 })?.resetAt).toBe(Date.UTC(2026, 2, 1));
});

it("names no time for a request that alone exceeds a quota", () => {
  const { message, resetAt } = judge({ day: { tokens: 399 } }, {})!;
  expect(resetAt).toBe(null);
  expect(message).toContain("this request may need 400 tokens");
});

it("has no bounds without quotas", () => {
  expect(judge({}, { requests: 1e12 })).toBe(null);
  expect(judge({ day: {} }, { requests: 1e12 })).toBe(null);
});

it("writes quotas in words", () => {
  expect(quotasWords({})).toBe("");
  expect(quotasWords({ day: { requests: 100 }, month: { tokens: 2_000, micro: 5_500_000n } })).toBe(
    "100 requests a day, 2,000 tokens a month, 5.5 credits a month",
  );
});
