import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countCleared,
  type Evidence,
  type PastAttempt,
  unreliabilityOf,
  unreliabilityWords,
} from "./reliability.ts";

const minute = 60_000;

/**
 * Attempts, newest first: "s" succeeded, "f" failed, "l" lost, "w" a wrong answer, "r" returned, "p" returned and then rested,
 * as if for a person, "o" outrun because it was slow. One each minute.
 */
function past(ends: string, everyMs = minute): PastAttempt[] {
  return Array.from(ends).map((letter, index) => {
    const endedAt = 1_000 * minute - index * everyMs;
    if (letter === "s") return { end: "succeeded", code: "", endedAt };
    if (letter === "r" || letter === "p")
      return { end: "returned", code: "returned", endedAt, rested: letter === "p" };
    if (letter === "o") return { end: "returned", code: "slow", endedAt, rested: false };
    if (letter === "l") return { end: "lost", code: "lost", endedAt };
    return { end: "failed", code: letter === "w" ? "answer_refused" : "runner_crashed", endedAt };
  });
}

describe("a device", () => {
  it.each([
    ["nothing at all", ""],
    ["four failures", "ffff"],
    ["fewer failures than successes", "fsfsfsfsfss"],
    ["five failures before twenty successes", `${"s".repeat(20)}fffff`],
    ["nine lost connections", "lllllllll"],
    ["fifteen returned jobs", "r".repeat(15)],
    ["ten lost connections among as many successes", "lslslslslslslslslsls"],
    ["a person who came back 39 times in a row", "p".repeat(39)],
    ["a person who comes and goes for days", "ppppppps".repeat(50)],
    ["jobs that are returned before every second success", "rs".repeat(50)],
  ])("is reliable with %s", (_, ends) => {
    expect(unreliabilityOf(past(ends))).toBeNull();
  });

  it.each([
    ["five failures", "fffff", { failed: 5, of: 5, cause: "errors" }],
    ["as many failures as successes", "fsfsfsfsfs", { failed: 5, of: 10, cause: "errors" }],
    ["wrong answers between successes", "wwswwfw", { failed: 6, of: 7, cause: "answers" }],
    ["ten lost connections", "llllllllll", { failed: 10, of: 10, cause: "lost" }],
    ["sixteen returned jobs", "r".repeat(16), { failed: 16, of: 16, cause: "returned" }],
    ["returned jobs and a few successes", `${"r".repeat(16)}ssss`, { failed: 16, of: 20, cause: "returned" }],
    ["sixteen jobs that others did", "o".repeat(16), { failed: 16, of: 16, cause: "slow" }],
    ["more returns than jobs that others did", "rro".repeat(6), { failed: 18, of: 18, cause: "returned" }],
    ["forty returned jobs, even with rests", "p".repeat(40), { failed: 40, of: 40, cause: "returned" }],
    [
      "nearly only returned jobs, even with rests",
      "s".repeat(4) + "p".repeat(41),
      { failed: 41, of: 45, cause: "returned" },
    ],
    ["failures between many returned jobs", "rrrrrrrrrf".repeat(5), { failed: 5, of: 5, cause: "errors" }],
    ["failures between many rests", "pppppppppppppppf".repeat(5), { failed: 5, of: 5, cause: "errors" }],
    ["failures and lost connections", "fflllfll", { failed: 8, of: 8, cause: "lost" }],
  ])("is unreliable with %s", (_, ends, found) => {
    expect(unreliabilityOf(past(ends))).toEqual(found);
  });

  it("has one incident if a crash ends many jobs at once, unless it has done nothing else", () => {
    expect(unreliabilityOf(past("ffffffffffs", 100))).toBeNull();
    expect(unreliabilityOf(past("ffffffffffffffff", 100))).toEqual({ failed: 16, of: 16, cause: "errors" });
    expect(unreliabilityOf(past("lllllllllllllllllll", 100))).toBeNull();
    expect(unreliabilityOf(past("r".repeat(64), 0))).toBeNull();
  });

  it("is paused after it gave back all that it held four times", () => {
    const moments = [4, 3, 2, 1].flatMap((at) =>
      past("r".repeat(16), 0).map((each) => ({ ...each, endedAt: at * minute })),
    );
    expect(unreliabilityOf(moments.slice(0, 48))).toBeNull();
    expect(unreliabilityOf(moments)).toEqual({ failed: 16, of: 16, cause: "returned" });
  });

  it("cannot hide behind failures that follow each other closely", () => {
    const wrong = `s${"w".repeat(19)}`;
    expect(unreliabilityOf(past(wrong, 1_900))).toEqual({ failed: 19, of: 20, cause: "answers" });
    expect(unreliabilityOf(past(wrong, 10))).toEqual({ failed: 19, of: 20, cause: "answers" });
    expect(unreliabilityOf(past(`s${"f".repeat(19)}`, 1_900))).toEqual({
      failed: 19,
      of: 20,
      cause: "errors",
    });
  });
});

/** Refused answers to requests of a key, newest first. */
function refused(count: number, key: string, evidence: Evidence): PastAttempt[] {
  return past("w".repeat(count)).map((each) => ({ ...each, key, evidence }));
}

describe("a requester", () => {
  const keys = fc.constantFrom("a", "b", "c");
  const honest = fc
    .array(fc.record({ letter: fc.constantFrom("s", "f", "w", "l", "r", "p"), key: keys }), { maxLength: 60 })
    .map((all) =>
      past(all.map(({ letter }) => letter).join("")).map((each, index) => ({
        ...each,
        ...(each.end === "failed" ? { key: all[index]?.key ?? "a", evidence: "device" as const } : {}),
      })),
    )
    .filter((all) => unreliabilityOf(all) === null);
  const at = fc.nat({ max: 1_000 });

  it("cannot have a device paused by refused answers that nobody else gave, whatever else the device did", () => {
    fc.assert(
      fc.property(honest, fc.array(at, { maxLength: 80 }), (before, places) => {
        const mixed = [...before];
        for (const place of places)
          mixed.splice(place % (mixed.length + 1), 0, ...refused(1, "malicious", "answer"));
        expect(unreliabilityOf(mixed)).toBeNull();
        expect(countCleared(mixed)).toBe(places.length);
      }),
    );
  });

  it("cannot have a device paused by jobs at which other devices fail every fourth time", () => {
    const hard = [...refused(3, "malicious", "device"), ...refused(1, "malicious", "job")];
    const all = Array.from({ length: 10 }, () => hard).flat();
    expect(unreliabilityOf(all)).toBeNull();
    expect(unreliabilityOf([...all, ...refused(5, "other", "device")])).toMatchObject({ failed: 5, of: 5 });
  });

  it("cannot have a device paused by requests that crash other devices, too", () => {
    const crash = (evidence: Evidence, at: number): PastAttempt[] =>
      past("frrrr", 200).map((each) => ({
        ...each,
        endedAt: each.endedAt - at * minute,
        ...(each.end === "failed" ? { key: "malicious", evidence } : {}),
      }));
    const crashes = (evidence: Evidence) => Array.from({ length: 10 }, (_, at) => crash(evidence, at)).flat();
    expect(unreliabilityOf(crashes("job"))).toBeNull();
    expect(countCleared(crashes("job"))).toBe(50);
    expect(unreliabilityOf(crashes("device"))).not.toBeNull();
    // Jobs that it returns at other times still count.
    expect(unreliabilityOf([...crashes("job"), ...past("r".repeat(17), 20 * minute)])).toMatchObject({
      cause: "returned",
    });
  });

  it("is believed together with another one", () => {
    const one = refused(9, "a", "answer");
    expect(unreliabilityOf(one)).toBeNull();
    expect(unreliabilityOf([...one, ...refused(4, "b", "answer")])).toBeNull();
    expect(unreliabilityOf([...one, ...refused(5, "b", "answer")])).toMatchObject({ failed: 5, of: 5 });
  });
});

it("a device that never answers is paused within 20 jobs, however it mixes its ends", () => {
  const ends = fc.array(fc.constantFrom("f", "w", "r"), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(
      ends,
      fc.integer({ min: 2_001, max: minute }),
      fc.constantFrom("one", "many"),
      (all, everyMs, keys) => {
        const attempts = past(all.join(""), everyMs).map((each, index) => ({
          ...each,
          key: keys === "one" ? "one" : String(index),
          evidence: "device" as const,
        }));
        expect(unreliabilityOf(attempts)).not.toBeNull();
      },
    ),
  );
});

it("is said in a sentence", () => {
  expect(unreliabilityWords({ failed: 9, of: 10, cause: "errors" })).toBe(
    "9 of its last 10 jobs failed: other devices did not fail at them.",
  );
  expect(unreliabilityWords({ failed: 16, of: 20, cause: "returned" })).toBe(
    "16 of its last 20 jobs ended without an answer: it gave most of them back.",
  );
  expect(unreliabilityWords({ failed: 16, of: 20, cause: "slow" })).toBe(
    "16 of its last 20 jobs ended without an answer: it took so long that other devices did most of them.",
  );
});
