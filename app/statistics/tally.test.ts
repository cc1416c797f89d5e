import { array, assert, bigInt, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { sketchOf } from "./sketch.ts";
import {
  emptyTally,
  endsOf,
  mergeSubjects,
  mergeTallies,
  mostSubjects,
  otherSubject,
  type SubjectTally,
} from "./tally.ts";

const durations = array(integer({ min: 0, max: 100_000 }), { maxLength: 10 }).map(sketchOf);
const count = integer({ min: 0, max: 1_000 });
const tally = record({
  succeeded: count,
  failed: count,
  canceled: count,
  expired: count,
  retried: count,
  returned: count,
  lost: count,
  stolen: count,
  promptTokens: count,
  completionTokens: count,
  micro: bigInt({ min: 0n, max: 10n ** 15n }),
  wait: durations,
  run: durations,
});
const subjects = array(record({ subject: constantFrom("a", "b", "c", otherSubject), tally }), {
  maxLength: 8,
});

const totalOf = (list: readonly SubjectTally[]) => mergeTallies(list.map(({ tally }) => tally));

const many = (from: number, to: number, succeeded: (at: number) => number): SubjectTally[] =>
  Array.from({ length: to - from }, (_, at) => ({
    subject: `m${String(from + at)}`,
    tally: { ...emptyTally(), succeeded: succeeded(from + at) },
  }));

describe("tallies", () => {
  it("merge in any order to the same sum, which nothing changes", () => {
    assert(
      property(tally, tally, tally, (a, b, c) => {
        expect(mergeTallies([mergeTallies([a, b]), c])).toEqual(mergeTallies([a, c, b]));
        expect(mergeTallies([a])).toEqual(a);
      }),
    );
  });
});

describe("tallies by subject", () => {
  it("lose nothing when lists are merged, and name each subject once", () => {
    assert(
      property(subjects, subjects, (a, b) => {
        const merged = mergeSubjects([a, b]);
        expect(totalOf(merged)).toMatchObject({ succeeded: totalOf([...a, ...b]).succeeded });
        const names = merged.map(({ subject }) => subject);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it("keep the largest subjects, and add the others up", () => {
    const merged = mergeSubjects([many(0, 80, (at) => at + 1)]);
    expect(merged).toHaveLength(mostSubjects + 1);
    expect(merged[0]).toMatchObject({ subject: "m79", tally: { succeeded: 80 } });
    const [last] = merged.slice(-1);
    expect(last).toMatchObject({ subject: otherSubject, tally: { succeeded: (30 * 31) / 2 } });
    expect(endsOf(totalOf(merged))).toBe((80 * 81) / 2);
  });

  it("never drop a subject that has to stay, so no counter goes back", () => {
    const before = mergeSubjects([many(0, mostSubjects, () => 1)]);
    const kept = new Set(before.map(({ subject }) => subject));
    const after = mergeSubjects([before, many(100, 110, () => 1_000)], kept);
    for (const { subject } of before) expect(after.map((each) => each.subject)).toContain(subject);
    expect(after.at(-1)).toMatchObject({ subject: otherSubject, tally: { succeeded: 10_000 } });
  });
});
