import { describe, expect, it } from "vitest";
import { nextLargerStep, nextVoteStep, type OpenVote, type VoteJob } from "./next-step.ts";

const open: VoteJob = { status: "ready", startedAt: null, finishedAt: null };
const running: VoteJob = { status: "running", startedAt: 1_000, finishedAt: null };
const answered = (startedAt: number, finishedAt: number): VoteJob => ({
  status: "succeeded",
  startedAt,
  finishedAt,
});
const failed = (startedAt: number, finishedAt: number): VoteJob => ({
  status: "failed",
  startedAt,
  finishedAt,
});
const at = (now: number, askedAt: number | null, ...jobs: OpenVote["jobs"]) =>
  nextVoteStep({ votes: 3, askedAt, jobs }, now);

describe("a vote that nobody waits for", () => {
  it("waits for the end of the first job while no device has it", () => {
    expect(at(5_000, null, open)).toEqual({ kind: "wait", until: null });
    expect(at(5_000, null, { ...open, status: "waiting" })).toEqual({ kind: "wait", until: null });
  });

  it("asks idle devices once a device has the first job, and again once that has its answer", () => {
    const ask = { kind: "ask", askedAt: 1_000 };
    expect(at(1_000, null, running)).toEqual(ask);
    expect(at(1_000, null, { ...running, status: "prefetched" })).toEqual(ask);
    expect(at(2_000, 1_000, running)).toEqual({ kind: "wait", until: null });
    expect(at(3_000, 1_000, answered(1_000, 3_000))).toEqual({ kind: "ask", askedAt: 3_000 });
    expect(at(3_000, null, answered(1_000, 3_000))).toEqual({ kind: "ask", askedAt: 3_000 });
    expect(at(3_000, 3_000, answered(1_000, 3_000))).toEqual({ kind: "compare" });
  });

  it("asks once about an answer, also if the clock has stepped back behind it", () => {
    const answer = answered(1_000, 3_000);
    const step = at(2_999, 1_000, answer);
    if (step.kind !== "ask") throw new Error(step.kind);
    expect(at(2_999, step.askedAt, answer)).toEqual({ kind: "compare" });
  });

  it("asks nobody after the first job has failed, and none beyond the votes that are wanted", () => {
    expect(at(3_000, null, failed(1_000, 3_000))).toEqual({ kind: "fail" });
    expect(at(3_000, null, running, running, running)).toEqual({ kind: "wait", until: null });
  });

  it("gives late votes as much time as the first answer took, and compares what there is then", () => {
    const votes = [answered(1_000, 11_000), running, running] as const;
    expect(at(12_000, 1_000, ...votes)).toEqual({ kind: "wait", until: 21_000 });
    expect(at(21_000, 1_000, ...votes)).toEqual({ kind: "compare" });
  });

  it("gives votes that were asked for later the same time from then on", () => {
    const votes = [answered(1_000, 11_000), running, running] as const;
    expect(at(12_000, 11_500, ...votes)).toEqual({ kind: "wait", until: 21_500 });
  });

  it("compares at once when all jobs have ended", () => {
    expect(at(3_000, 1_000, answered(0, 1), failed(0, 1), answered(0, 2))).toEqual({ kind: "compare" });
    expect(at(3_000, 1_000, failed(0, 1), answered(0, 1), failed(0, 2))).toEqual({ kind: "compare" });
  });

  it("fails without an answer, also if a further vote waits for another device", () => {
    expect(at(3_000, 1_000, failed(0, 1), failed(0, 1))).toEqual({ kind: "fail" });
    expect(at(3_000, 1_000, failed(1_000, 2_000), open)).toEqual({ kind: "wait", until: 4_000 });
    expect(at(4_000, 1_000, failed(1_000, 2_000), open)).toEqual({ kind: "fail" });
  });
});

describe("a larger model", () => {
  it("is waited for only if it has a device within 30 seconds", () => {
    const status = "ready" as const;
    expect(nextLargerStep({ status, askedAt: 1_000 }, 2_000)).toEqual({ kind: "wait", until: 31_000 });
    expect(nextLargerStep({ status, askedAt: 1_000 }, 31_000)).toEqual({ kind: "next" });
    expect(nextLargerStep({ status: "running", askedAt: 1_000 }, 90_000)).toMatchObject({ kind: "wait" });
  });

  it("decides with its answer, and leaves it to the next one without", () => {
    expect(nextLargerStep({ status: "succeeded", askedAt: 0 }, 1)).toEqual({ kind: "decide" });
    for (const status of ["failed", "canceled", "expired"] as const)
      expect(nextLargerStep({ status, askedAt: 0 }, 1)).toEqual({ kind: "next" });
  });
});
