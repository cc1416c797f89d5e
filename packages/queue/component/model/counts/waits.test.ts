import { describe, expect, it } from "vitest";
import type { Id } from "../builders.ts";
import { defaultSettings } from "../settings.ts";
import { type Busy, expectedWaits, jobMsOf, type LanePace, longestWaitMs, mayShed } from "./waits.ts";

const done = (from: number, to: number): Busy => ({ from, to, succeeded: true });
const lost = (from: number, to: number): Busy => ({ from, to, succeeded: false });
const oneAfterAnother = [0, 10, 20, 30, 40].map((from) => done(from, from + 10));

const eight = (ms: number): readonly Busy[] =>
  Array.from({ length: 8 }, (_, n) => done(n * ms, (n + 1) * ms));

describe("the time for a job", () => {
  it.each([
    ["one after another", [oneAfterAnother], 10],
    [
      "with pauses, which do not count",
      [oneAfterAnother.map(({ from }) => done(from * 7, from * 7 + 10))],
      10,
    ],
    ["five at once", [oneAfterAnother.map(() => done(0, 50))], 10],
    ["with a try that failed", [[...oneAfterAnother, lost(100, 150)]], 20],
    ["of a fast and a slow worker", [oneAfterAnother, [done(0, 40)]], 16],
    [
      "of a worker that is forty times as fast as another",
      [eight(2_000), eight(80_000)],
      2 / (1 / 2_000 + 1 / 80_000),
    ],
    ["of a worker, and one that only fails", [oneAfterAnother, [lost(0, 40)]], 20],
    ["of a worker, and one that has done nothing", [oneAfterAnother, []], 10],
    ["of too few", [oneAfterAnother.slice(1)], null],
    ["of nobody", [], null],
  ])("%s", (_, byWorker, ms) => {
    expect(jobMsOf(byWorker)).toEqual(ms === null ? null : expect.closeTo(ms));
  });
});

const chat = "chat" as Id<"lanes">;
const embed = "embed" as Id<"lanes">;
const at = (laneId: Id<"lanes">, workers: readonly number[], jobMs: number | null): LanePace => ({
  laneId,
  workers: workers.length,
  sampled: workers.map((position) => ({ workerId: `w${String(position)}` as Id<"workers">, position })),
  jobMs,
});

describe("the expected wait", () => {
  it("is the work before a new job, divided by the workers, and longer at a lower priority", () => {
    const pace = at(chat, [1, 2], 1_000);
    expect(expectedWaits(pace, [{ laneId: chat, ready: [2, 4, 6] }], [pace])).toEqual([1_000, 3_000, 6_000]);
  });

  it("counts other lanes as far as the workers take them, too", () => {
    const paces = [at(chat, [1, 2], 1_000), at(embed, [2, 3], 100)];
    const queues = [
      { laneId: chat, ready: [0, 10, 0] },
      { laneId: embed, ready: [0, 100, 0] },
    ];
    // Of the two workers of embeddings, one is among those of chats; the other is beyond their sample.
    expect(expectedWaits(paces[0]!, queues, paces)).toEqual([0, 10_000, 10_000]);
    expect(expectedWaits(at(chat, [1, 2, 3], 1_000), queues, paces)?.[1]).toBe(6_667);
    expect(expectedWaits(at(chat, [5, 6], 1_000), queues, paces)?.[1]).toBe(5_000);
  });

  it.each([
    ["has no workers", at(chat, [], 1_000)],
    ["was not measured", at(chat, [1], null)],
  ])("is unknown if the lane %s", (_, pace) => {
    expect(expectedWaits(pace, [{ laneId: chat, ready: [9, 9, 9] }], [pace])).toBeNull();
  });
});

describe("the longest wait", () => {
  it.each([
    [0, true, 10],
    [1, true, 5],
    [2, true, 2.5],
    [0, false, 48 * 60],
    [1, false, 24 * 60],
    [2, false, 12 * 60],
  ])("of priority %i, called: %s, is %d minutes", (level, called, minutes) => {
    expect(longestWaitMs(defaultSettings, { level, called })).toBe(minutes * 60_000);
  });

  it("is exceeded for low priority first", () => {
    const minutes = (wait: number): readonly number[] => [wait, wait, wait].map((each) => each * 60_000);
    expect(mayShed(minutes(2), defaultSettings)).toBe(false);
    expect(mayShed(minutes(3), defaultSettings)).toBe(true);
    expect(mayShed(null, defaultSettings)).toBe(false);
  });
});
