import { describe, expect, it } from "vitest";
import { type PastAttempt, unreliabilityOf, unreliabilityWords } from "./reliability.ts";

const minute = 60_000;

/** Attempts, newest first: "s" succeeded, "f" failed, "l" lost, "w" a wrong answer, "r" returned. One each minute. */
function past(ends: string, everyMs = minute): PastAttempt[] {
  return Array.from(ends).map((letter, index) => {
    const endedAt = 1_000 * minute - index * everyMs;
    if (letter === "s") return { end: "succeeded", code: "", endedAt };
    if (letter === "r") return { end: "returned", code: "returned", endedAt };
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
    ["failures and lost connections", "fflllfll", { failed: 8, of: 8, cause: "lost" }],
  ])("is unreliable with %s", (_, ends, found) => {
    expect(unreliabilityOf(past(ends))).toEqual(found);
  });

  it("has one incident if a crash ends many jobs at once, unless it has done nothing else", () => {
    expect(unreliabilityOf(past("ffffffffffs", 100))).toBeNull();
    expect(unreliabilityOf(past("ffffffffffffffff", 100))).toEqual({ failed: 16, of: 16, cause: "errors" });
    expect(unreliabilityOf(past("lllllllllllllllllll", 100))).toBeNull();
    expect(unreliabilityOf(past("r".repeat(20), 0))).toBeNull();
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

it("is said in a sentence", () => {
  expect(unreliabilityWords({ failed: 9, of: 10, cause: "errors" })).toBe(
    "9 of its last 10 jobs failed: other devices did not fail at them.",
  );
});
