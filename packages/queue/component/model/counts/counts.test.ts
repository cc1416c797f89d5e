import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Id } from "../builders.ts";
import { defaultSettings } from "../settings.ts";
import { retryAfterMs, retryAtOf } from "./backlogs.ts";
import { estimateCount } from "./ranges.ts";
import { tallyLane, tallyRequesters } from "./tally.ts";

describe("estimateCount", () => {
  it("an estimated count is exact if all jobs were read", () => {
    expect(estimateCount([], 3)).toBe(0);
    expect(estimateCount([0.1, 0.9], 3)).toBe(2);
  });

  it("an estimated count is at most a tenth off, from a sample of 2,000: more than four standard errors", () => {
    const cases = fc.record({
      seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      many: fc.integer({ min: 2_001, max: 60_000 }),
    });
    fc.assert(
      fc.property(cases, ({ seed, many }) => {
        const sampleKeys = drawn(seed, many);
        const counted = estimateCount(sampleKeys.slice(0, 2_000), 2_000);
        expect(Math.abs(counted - many) / many).toBeLessThan(0.1);
      }),
      // The same random keys in every run.
      { seed: 1, numRuns: 50 },
    );
  });
});

/** Ascending. Park and Miller's generator. */
function drawn(seed: number, many: number): number[] {
  let state = seed;
  return Array.from({ length: many }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  }).sort((a, b) => a - b);
}

describe("retryAfterMs", () => {
  it("the time to come back stays within the configured limits", () => {
    const set = { minRetryAfterMs: 200, maxRetryAfterMs: 1_000 };
    expect([0, 500, 5_000].map((retryAt) => retryAfterMs([{ retryAt }], set, 0))).toEqual([200, 500, 1_000]);
  });
});

describe("retryAtOf", () => {
  const max = 1_000;
  const at = (countedAt: number, queued: number) => ({ countedAt, queued });
  it.each([
    ["was not full before", at(60_000, 1_200), null, 120_000],
    ["drains by 100 a minute", at(60_000, 1_199), at(0, 1_299), 180_000],
    ["will be below before the next count", at(60_000, 1_001), at(0, 1_999), 120_000],
    ["does not drain", at(60_000, 1_200), at(0, 1_200), 360_000],
    ["grows", at(60_000, 1_200), at(0, 1_100), 360_000],
  ])("the time to come back to a queue that %s", (_, now, before, expected) => {
    expect(retryAtOf(now, before, max)).toBe(expected);
  });

  it.each([
    [[], null],
    [[{ retryAt: 90_000 }], 30_000],
    [[{ retryAt: 90_000 }, { retryAt: 100_000 }], 40_000],
    [[{ retryAt: 61_000 }], 5_000],
    [[{ retryAt: 0 }], 5_000],
    [[{ retryAt: 90_000_000 }], 600_000],
  ])("the time to come back for %o, asked at 60 s, is %s ms", (backlogs, expected) => {
    expect(retryAfterMs(backlogs, defaultSettings, 60_000)).toBe(expected);
  });
});

describe("tallies", () => {
  const laneId = "l" as Id<"lanes">;
  const range = (status: "waiting" | "ready" | "prefetched" | "running", count: number, read = count) => ({
    laneId,
    status,
    level: 1,
    count,
    more: read < count,
    read,
    requesters: [{ name: "ada", read: read / 2 }],
  });
  const ranges = [
    range("ready", 4_000, 2_000),
    range("waiting", 10),
    range("prefetched", 1),
    range("running", 6),
  ];

  it("a tally sums a lane's ranges, and counts held jobs as running", () => {
    const lane = { laneId, name: "n", oldestReadyAt: 5 };
    expect(tallyLane(lane, ranges)).toEqual({ ...lane, ready: 4_000, waiting: 10, running: 7 });
    const other = { ...lane, laneId: "m" as Id<"lanes"> };
    expect(tallyLane(other, ranges)).toMatchObject({ ready: 0, waiting: 0, running: 0 });
  });

  it("a tally gives each requester its share of the jobs, and names those with most jobs first", () => {
    const one = { ...range("ready", 1), requesters: [{ name: "ben", read: 1 }] };
    expect(tallyRequesters([one, ...ranges])).toEqual([
      { name: "ada", ready: 2_000, waiting: 5, running: 4 },
      { name: "ben", ready: 1, waiting: 0, running: 0 },
    ]);
  });
});
