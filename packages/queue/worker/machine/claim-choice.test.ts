import { describe, expect, it } from "vitest";
import type { Candidate, WaitSubscription } from "../contract/protocol.ts";
import { chooseClaim, comparePositions, stillLate } from "./claim-choice.ts";

const own = (jobId: string): Candidate => ({ jobId, laneId: "l", late: false });
const late = (jobId: string): Candidate => ({ jobId, laneId: "l", late: true });
const held = (jobId: string): Candidate => ({ ...late(jobId), held: true });
const slow = (jobId: string): Candidate => ({ ...own(jobId), patienceMs: 300 });
const at = { now: 1_000, lateAfterMs: 400, heldLateAfterMs: 2_000 };
const choose = (jobs: readonly Candidate[], { tried = [] as string[], since = {} } = {}): string => {
  const choice = chooseClaim(jobs, new Set(tried), new Map(Object.entries(since)), at);
  if (choice.kind === "claim") return `claim ${choice.candidate.jobId}`;
  return choice.kind === "wait" ? `wait ${choice.ms}` : "none";
};

describe("chooseClaim", () => {
  it.each([
    ["nothing of nothing", [], {}, "none"],
    ["its own job at once", [own("a")], {}, "claim a"],
    ["the first of its own jobs", [own("a"), own("b"), own("c")], {}, "claim a"],
    ["a job that was not tried", [own("a"), own("b")], { tried: ["a"] }, "claim b"],
    ["nothing when all were tried", [own("a")], { tried: ["a"] }, "none"],
    ["its own job before another worker's", [late("a"), own("b")], { since: { a: 0 } }, "claim b"],
    ["another worker's job not at once", [late("a")], {}, "wait 400"],
    ["another worker's job not before its time", [late("a")], { since: { a: 601 } }, "wait 1"],
    ["another worker's job that was left lying", [late("a")], { since: { a: 600 } }, "claim a"],
    [
      "a job that another worker holds not before that one had time to report its start",
      [held("a")],
      {},
      "wait 2000",
    ],
    ["a job that another worker holds and never began", [held("a")], { since: { a: -1_000 } }, "claim a"],
    ["a job for faster workers not at once", [slow("a")], {}, "wait 300"],
    ["a job that faster workers left", [slow("a")], { since: { a: 700 } }, "claim a"],
    ["a job of its own before one for faster workers", [slow("a"), own("b")], { since: { a: 0 } }, "claim b"],
    [
      "another worker's job, for faster workers, after both waits",
      [{ ...slow("a"), late: true }],
      {},
      "wait 700",
    ],
    ["the late job that is due next", [late("a"), late("b")], { since: { a: 900, b: 700 } }, "wait 100"],
  ] as const)("a worker claims %s", (_what, jobs, how, expected) => {
    expect(choose(jobs, how as Parameters<typeof choose>[1])).toBe(expected);
  });

  it("a late job counts from when it was listed without a break", () => {
    const first = stillLate(new Map(), [late("a"), own("b")], 5);
    const second = stillLate(first, [late("a"), late("b")], 9);
    expect([...second]).toEqual([
      ["a", 5],
      ["b", 9],
    ]);
    expect([...stillLate(second, [own("a"), late("b")], 12)]).toEqual([["b", 9]]);
  });
});

describe("comparePositions", () => {
  const at = (laneId: string, position = 7): WaitSubscription => ({ laneId, position });
  it.each([
    ["are none, as before", [], [], "same"],
    ["are the same in another order", [at("a"), at("b")], [at("b"), at("a")], "same"],
    ["include a new lane", [at("a")], [at("a"), at("b")], "follow-these"],
    ["are in a first lane", [], [at("a")], "follow-these"],
    ["moved in the ring", [at("a", 7)], [at("a", 8)], "follow-these"],
    ["are in a first lane, after waiting for one", [at("")], [at("a")], "follow-these"],
    ["are gone, even the one for no lane", [at("")], [], "take-again"],
    ["are gone", [at("a")], [], "take-again"],
    ["are gone in one of its lanes", [at("a"), at("b")], [at("b"), at("c")], "take-again"],
  ] as const)("the positions of a waiting worker %s", (_what, followed, seen, expected) => {
    expect(comparePositions(followed, seen)).toBe(expected);
  });
});
