import { expect, test } from "vitest";
import type { Conflict } from "../../engine/model/types.ts";
import { prefixEnd } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import { ConflictStats } from "./conflict-stats.ts";

function at(lane: string): Conflict {
  const lower = encodeKey([lane]);
  return {
    table: "jobs",
    index: "by_lane",
    documentId: `in ${lane}`,
    range: { lower, upper: prefixEnd(lower) },
  };
}

test("ranges are counted, the most frequent first, and the latest conflicts are kept", () => {
  const stats = new ConflictStats(() => 7);
  stats.ran("jobs.js:claim");
  for (const [lane, again] of [
    ["m", true],
    ["n", true],
    ["m", false],
  ] as const) {
    stats.conflicted("jobs.js:claim", at(lane), again);
  }
  expect(stats.snapshot()["jobs.js:claim"]).toEqual({
    runs: 1,
    conflicts: 3,
    retries: 2,
    exhausted: 1,
    collisions: { "jobs.by_lane": 3 },
    ranges: [
      { table: "jobs", range: 'by_lane["m"]', conflicts: 2 },
      { table: "jobs", range: 'by_lane["n"]', conflicts: 1 },
    ],
    latest: [
      { at: 7, table: "jobs", range: 'by_lane["m"]', documentId: "in m", retried: false },
      { at: 7, table: "jobs", range: 'by_lane["n"]', documentId: "in n", retried: true },
      { at: 7, table: "jobs", range: 'by_lane["m"]', documentId: "in m", retried: true },
    ],
  });
  stats.reset();
  expect(stats.snapshot()).toEqual({});
});

test("the statistics are bounded and keep frequent ranges", () => {
  const stats = new ConflictStats();
  for (let n = 0; n < 1_000; n++) {
    stats.conflicted("f", at("hot"), true);
    stats.conflicted("f", at(`cold ${n}`), true);
  }
  const { ranges = [], latest = [], conflicts } = stats.snapshot()["f"] ?? {};
  expect([ranges.length, latest.length, conflicts]).toEqual([32, 16, 2_000]);
  expect(ranges[0]).toEqual({ table: "jobs", range: 'by_lane["hot"]', conflicts: 1_000 });
});
