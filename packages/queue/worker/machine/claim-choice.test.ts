import { describe, expect, it } from "vitest";
import type { Candidate, Stand } from "../protocol.ts";
import { chooseClaim, compareStands, stillLate } from "./claim-choice.ts";

const own = (jobId: string): Candidate => ({ jobId, laneId: "l", late: false });
const late = (jobId: string): Candidate => ({ jobId, laneId: "l", late: true });
const held = (jobId: string): Candidate => ({ ...late(jobId), held: true });
const at = { now: 1_000, lateAfterMs: 400, heldLateAfterMs: 2_000 };
const choose = (jobs: readonly Candidate[], { tried = [] as string[], since = {} } = {}): string => {
  const choice = chooseClaim(jobs, new Set(tried), new Map(Object.entries(since)), at);
  if (choice.kind === "claim") return `claim ${choice.candidate.jobId}`;
  return choice.kind === "wait" ? `wait ${choice.ms}` : "none";
};

describe("what to claim", () => {
  it.each([
    ["nothing of nothing", [], {}, "none"],
    ["its own job at once", [own("a")], {}, "claim a"],
    ["the first of its own jobs", [own("a"), own("b"), own("c")], {}, "claim a"],
    ["one that was not tried", [own("a"), own("b")], { tried: ["a"] }, "claim b"],
    ["none when all were tried", [own("a")], { tried: ["a"] }, "none"],
    ["its own before another's", [late("a"), own("b")], { since: { a: 0 } }, "claim b"],
    ["not another's at once", [late("a")], {}, "wait 400"],
    ["not another's before its time", [late("a")], { since: { a: 601 } }, "wait 1"],
    ["another's that was left lying", [late("a")], { since: { a: 600 } }, "claim a"],
    ["not what another holds, before it had time to say that it began", [held("a")], {}, "wait 2000"],
    ["what another holds and never began", [held("a")], { since: { a: -1_000 } }, "claim a"],
    ["the next that is due", [late("a"), late("b")], { since: { a: 900, b: 700 } }, "wait 100"],
  ] as const)("%s", (_what, jobs, how, expected) => {
    expect(choose(jobs, how as Parameters<typeof choose>[1])).toBe(expected);
  });

  it("counts from when a late job was listed without a break", () => {
    const first = stillLate(new Map(), [late("a"), own("b")], 5);
    const second = stillLate(first, [late("a"), late("b")], 9);
    expect([...second]).toEqual([
      ["a", 5],
      ["b", 9],
    ]);
    expect([...stillLate(second, [own("a"), late("b")], 12)]).toEqual([["b", 9]]);
  });
});

describe("where it stands", () => {
  const stand = (laneId: string, position = 7): Stand => ({ laneId, position });
  it.each([
    ["nowhere, as before", [], [], "same"],
    ["as before, in whatever order", [stand("a"), stand("b")], [stand("b"), stand("a")], "same"],
    ["in a new lane, too", [stand("a")], [stand("a"), stand("b")], "follow-these"],
    ["in a first lane", [], [stand("a")], "follow-these"],
    ["elsewhere in the ring", [stand("a", 7)], [stand("a", 8)], "follow-these"],
    ["in a first lane, where it waited for one", [stand("")], [stand("a")], "follow-these"],
    ["no more, not even for a first lane", [stand("")], [], "take-again"],
    ["no more", [stand("a")], [], "take-again"],
    ["in one lane no more", [stand("a"), stand("b")], [stand("b"), stand("c")], "take-again"],
  ] as const)("%s", (_what, followed, seen, expected) => {
    expect(compareStands(followed, seen)).toBe(expected);
  });
});
