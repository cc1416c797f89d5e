import { expect, it } from "vitest";
import { rates } from "./limits.ts";
import { callsLeftAfter, rateHeaders } from "./rate-headers.ts";

const { burst, perMinute } = rates.apiCalls;
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

it.each([
  [120, "120ms"],
  [1_000, "1s"],
  [5_400, "6s"],
  [90_000, "1m30s"],
])("writes %d ms as OpenAI does", (resetMs, written) => {
  expect(rateHeaders({ calls: 3, resetMs })).toEqual({
    "x-ratelimit-limit-requests": String(burst),
    "x-ratelimit-remaining-requests": "3",
    "x-ratelimit-reset-requests": written,
  });
});
