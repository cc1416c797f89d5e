import { describe, expect, it } from "vitest";
import { horizonOf, isLate, isOutdated, nextLookAt } from "./times.ts";

const now = 1_000_000;
const spans = { leaseMs: 40_000, offlineAfterMs: 150_000 };
const atWork = { ...spans, lastSeenAt: now - 4_000, deadline: now + 36_000 };
const idle = { ...spans, lastSeenAt: now - 15_000, deadline: now + 135_000 };

describe("isOutdated", () => {
  it.each([
    ["a lease after a tenth of its time", atWork, false, now, false],
    ["a lease after more than a tenth", atWork, false, now + 1, true],
    ["a long lease after a tenth of its time", idle, false, now, false],
    ["a long lease after more than a tenth", idle, false, now + 1, true],
    ["the lease of an offline worker", { ...spans, lastSeenAt: now }, false, now, true],
    ["a long lease when a job is taken", idle, true, now, true],
    ["a short lease when a job is taken", atWork, true, now, false],
  ])("a call decides whether to write %s: case %#", (_, lease, takesJob, at, outdated) => {
    expect(isOutdated(lease, takesJob, at)).toBe(outdated);
  });
});

describe("horizonOf", () => {
  it.each([
    [40_000, 150_000, 40_000],
    [5_000, 150_000, 5_000],
    [40_000, 10_000, 10_000],
    [3_600_000, 3_600_000, 40_000],
  ])(
    "the horizon of a lease of %i ms, offline after %i ms, is before the deadlines of later calls",
    (...given) => {
      const [leaseMs, offlineAfterMs, far] = given;
      expect(horizonOf({ leaseMs, offlineAfterMs })).toEqual({ near: far / 2, far });
    },
  );
});

describe("nextLookAt", () => {
  it("the next look is at the deadline, but not immediately after the last sweep", () => {
    expect(nextLookAt(now + 30_000, spans, now)).toBe(now + 30_000);
    expect(nextLookAt(now + 1, spans, now)).toBe(now + 3_000);
    expect(nextLookAt(now - 1, spans, now)).toBe(now + 3_000);
    expect(nextLookAt(now, { ...spans, leaseMs: 5_000 }, now)).toBe(now + 500);
  });
});

describe("isLate", () => {
  it("a sweep is late after more than 5 s, and only once in a row", () => {
    expect(isLate({ due: now - 5_000, graced: false }, now)).toBe(false);
    expect(isLate({ due: now - 5_001, graced: false }, now)).toBe(true);
    expect(isLate({ due: now - 5_001, graced: true }, now)).toBe(false);
  });
});
