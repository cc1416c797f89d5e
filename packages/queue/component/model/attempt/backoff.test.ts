import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultSettings } from "../settings.ts";
import { retryAfter } from "./backoff.ts";

const policy = {
  ...defaultSettings.policy,
  backoff: { firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0.5 },
};

describe("retryAfter", () => {
  it.each([
    [1, 0, 1_000],
    [2, 0, 2_000],
    [3, 0, 4_000],
    [6, 0, 32_000],
    [7, 0, 60_000],
    [1, 0.5, 750],
    [7, 0.999_999, 30_000],
    [5_000, 0, 60_000],
  ])("the wait after failure %i with random number %f is %i ms", (failures, random, expected) => {
    expect(retryAfter(policy, failures, random)).toBe(expected);
  });

  it("the wait never exceeds the cap, and is reduced by at most the jitter", () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const cases = fc.record({ jitter: chance, random: chance, failures: fc.integer({ min: 1, max: 1_000 }) });
    fc.assert(
      fc.property(cases, ({ jitter, random, failures }) => {
        const backoff = { ...policy.backoff, jitter };
        const wait = retryAfter({ ...policy, backoff }, failures, random);
        const full = retryAfter({ ...policy, backoff }, failures, 0);
        expect(full).toBeLessThanOrEqual(backoff.maxMs);
        expect(wait).toBeLessThanOrEqual(full);
        expect(wait).toBeGreaterThanOrEqual(Math.floor(full * (1 - jitter)));
      }),
    );
  });
});
