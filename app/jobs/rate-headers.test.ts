import { expect, it } from "vitest";
import { randomNumbers } from "../forecast/random.ts";
import { type KeyUse, noCount } from "../keys/quotas.ts";
import { rates } from "./limits.ts";
import { callsLeftAfter, callsToCount, rateHeaders, tokenHeaders } from "./rate-headers.ts";

const { burst, perMinute, spare } = rates.apiCalls;
const now = Date.parse("2026-11-28T08:00:00Z");

it("counts one call less than were left, and the time until all are there again", () => {
  expect(callsLeftAfter({ calls: burst, at: now }, now)).toEqual({
    calls: burst - 1,
    resetMs: 60_000 / perMinute,
  });
  expect(callsLeftAfter({ calls: 10, at: now - 60_000 / perMinute }, now).calls).toBe(10);
  expect(callsLeftAfter({ calls: 0, at: now - 3_600_000 }, now).calls).toBe(burst - 1);
  expect(callsLeftAfter({ calls: -5, at: now }, now).calls).toBe(0);
});

it("counts every call once the next sample could take a promised one", () => {
  const counts = (calls: number, random: number) => callsToCount({ calls, at: now }, now, random);
  expect([0, burst, burst + 7].map((calls) => counts(calls, 0))).toEqual([1, 1, 1]);
  expect(counts(burst + 7, 0.99)).toBe(1);
  expect([counts(burst + 8, 0.99), counts(burst + 8, 0.05)]).toEqual([0, 8]);
  expect(callsToCount({ calls: 0, at: now - 3_600_000 }, now, 0.5)).toBe(0);
});

it("leaves a key the rest of its burst after calls at the same moment", () => {
  const random = randomNumbers(7);
  const full = { calls: burst + spare, at: now };
  const countedOf = (calls: number): number =>
    Array.from({ length: calls }, () => callsToCount(full, now, random())).reduce(
      (sum, count) => sum + count,
    );
  for (const calls of [10, 50, 90]) {
    const rounds = Array.from({ length: 2_000 }, () => burst + spare - countedOf(calls));
    expect(rounds.filter((left) => left < burst - calls).length).toBeLessThanOrEqual(2);
  }
});

it("counts as many calls as are made, on average", () => {
  const draws = Array.from({ length: 1_000 }, (_, n) => n / 1_000);
  const counted = draws.map((random) => callsToCount({ calls: burst + spare, at: now }, now, random));
  expect(counted.reduce((sum, count) => sum + count)).toBe(draws.length);
});

it.each([
  [120, "120ms"],
  [1_000, "1s"],
  [5_400, "6s"],
  [90_000, "1m30s"],
  [3_600_000, "1h0m0s"],
  [90_061_000, "25h1m1s"],
])("writes %d ms as OpenAI does", (resetMs, written) => {
  expect(rateHeaders({ calls: 3, resetMs })).toEqual({
    "x-ratelimit-limit-requests": String(burst),
    "x-ratelimit-remaining-requests": "3",
    "x-ratelimit-reset-requests": written,
  });
});

const used = (day: number, month: number): KeyUse => ({
  day: { ...noCount, tokens: day },
  month: { ...noCount, tokens: month },
});

it("tells the quota of tokens of which the least is left", () => {
  const quotas = { day: { tokens: 1_000 }, month: { tokens: 5_000 } };
  const ofDay = {
    "x-ratelimit-limit-tokens": "1000",
    "x-ratelimit-remaining-tokens": "900",
    "x-ratelimit-reset-tokens": "16h0m0s",
  };
  const ofMonth = (remaining: string) => ({
    "x-ratelimit-limit-tokens": "5000",
    "x-ratelimit-remaining-tokens": remaining,
    "x-ratelimit-reset-tokens": "64h0m0s",
  });
  expect(tokenHeaders(quotas, used(100, 100), now)).toEqual(ofDay);
  expect(tokenHeaders(quotas, used(100, 4_500), now)).toEqual(ofMonth("500"));
  // With as much left of both, the month decides when there are more.
  expect(tokenHeaders(quotas, used(100, 4_100), now)).toEqual(ofMonth("900"));
  expect(tokenHeaders({ month: { tokens: 5_000 } }, used(100, 5_001), now)).toEqual(ofMonth("0"));
});

it("tells nothing of tokens without a quota of them", () => {
  expect(tokenHeaders({ day: { requests: 5, micro: 9n } }, used(100, 100), now)).toEqual({});
});
