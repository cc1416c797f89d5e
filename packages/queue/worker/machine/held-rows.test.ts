import { describe, expect, it } from "vitest";
import { addOwn, compareHeld, noForeignAttempts, noteForeign } from "./held-rows.ts";

const row = (attemptId: string, watched = false) => ({ attemptId, watched });

describe("compareHeld", () => {
  it.each([
    ["the same", [row("a")], ["a"], [], []],
    ["canceled", [], ["a"], ["a"], []],
    ["forgotten here", [row("a"), row("b")], ["a"], [], ["b"]],
    ["both", [row("b")], ["a"], ["a"], ["b"]],
  ] as const)("compares held and known attempts: %s", (_what, rows, known, gone, foreign) => {
    expect(compareHeld(rows, new Set(known))).toMatchObject({ gone, foreign });
  });

  it("a comparison tells which attempts are watched", () => {
    expect([...compareHeld([row("a", true), row("b")], new Set()).watched]).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });
});

describe("noteForeign", () => {
  /** Notes attempts that are listed at some moment, and says whether another program uses the key. */
  function noting(...own: readonly string[]) {
    let attempts = own.reduce(addOwn, noForeignAttempts);
    return (attemptIds: readonly string[], now: number): boolean => {
      const noted = noteForeign(attempts, attemptIds, now);
      attempts = noted.attempts;
      return noted.usedElsewhere;
    };
  }

  it("three foreign attempts within a minute reveal a key that is used twice", () => {
    const notes = noting();
    expect(notes(["a"], 0)).toBe(false);
    expect(notes(["a", "b"], 1_000)).toBe(false);
    expect(notes(["c"], 59_000)).toBe(true);
    expect(notes(["d"], 59_500)).toBe(false);
  });

  it("a few foreign attempts over a long time prove nothing about the key, nor do the worker's own attempts", () => {
    const notes = noting("mine");
    for (let minute = 0; minute < 10; minute += 1) {
      expect(notes([`lost ${minute}`, "mine"], minute * 60_001)).toBe(false);
    }
  });
});
