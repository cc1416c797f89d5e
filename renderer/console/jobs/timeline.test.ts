import { expect, it } from "vitest";
import type { JobDetail } from "../data/rows.ts";
import { timelineOf } from "./timeline.ts";

const attempt = (
  number: number,
  startedAt: number,
  endedAt: number | null,
  status = endedAt === null ? "running" : "lost",
) =>
  ({ number, startedAt, endedAt, status, deviceName: `d${String(number)}` }) as JobDetail["attempts"][number];

/** Each hand-over as "1 lost 2 at 3000". */
const handOvers = (job: Parameters<typeof timelineOf>[0], now = 9_000) =>
  timelineOf(job, now).steps.flatMap((step) =>
    step.kind === "hand-over"
      ? `${String(step.handOver.from.number)} ${step.handOver.how} ${String(step.handOver.to?.number)} at ${String(step.at)}`
      : [],
  );

it("shows waits between attempts, and what goes on now", () => {
  const job = {
    submittedAt: 1_000,
    finishedAt: null,
    attempts: [attempt(1, 2_000, 3_000), attempt(2, 4_500, null)],
  };
  const { steps, totalMs } = timelineOf(job, 6_000);
  expect(steps.map(({ kind, fromMs, ms, isNow }) => [kind, fromMs, ms, isNow])).toEqual([
    ["wait", 0, 1_000, false],
    ["attempt", 1_000, 1_000, false],
    ["hand-over", 2_000, 0, false],
    ["wait", 2_000, 1_500, false],
    ["attempt", 3_500, 1_500, true],
  ]);
  expect(totalMs).toBe(5_000);
});

it("waits on after a failed attempt, and leaves out waits of a few milliseconds", () => {
  const job = { submittedAt: 1_000, finishedAt: null, attempts: [attempt(1, 1_002, 3_000)] };
  expect(timelineOf(job, 4_000).steps.map(({ kind, isNow }) => [kind, isNow])).toEqual([
    ["attempt", false],
    ["hand-over", false],
    ["wait", true],
  ]);
  const ended = { ...job, finishedAt: 3_000 };
  expect(timelineOf(ended, 9_000).steps).toHaveLength(1);
});

it("starts with a wait that goes on, and keeps overlapping attempts", () => {
  expect(timelineOf({ submittedAt: 1, finishedAt: null, attempts: [] }, 1).steps).toMatchObject([
    { kind: "wait", ms: 0, isNow: true },
  ]);
  const both = [attempt(1, 0, 9_000), attempt(2, 5_000, 8_000)];
  const { steps } = timelineOf({ submittedAt: 0, finishedAt: 9_000, attempts: both }, 0);
  expect(steps.map(({ kind }) => kind)).toEqual(["attempt", "hand-over", "attempt"]);
});

it("shows how a job went from device to device", () => {
  const attempts = [
    attempt(1, 0, 1_000, "stolen"),
    attempt(2, 1_000, 2_000, "released"),
    attempt(3, 2_500, 3_000, "lost"),
    attempt(4, 3_500, 4_000, "failed"),
    attempt(5, 4_500, 5_000, "succeeded"),
  ];
  expect(handOvers({ submittedAt: 0, finishedAt: 5_000, attempts })).toEqual([
    "1 stolen 2 at 1000",
    "2 released 3 at 2000",
    "3 lost 4 at 3000",
    "4 failed 5 at 4000",
  ]);
});

it("shows no hand-over when the job ended there", () => {
  for (const status of ["succeeded", "failed", "lost", "canceled", "expired"]) {
    const attempts = [attempt(1, 0, 1_000, status)];
    expect(handOvers({ submittedAt: 0, finishedAt: 1_000, attempts })).toEqual([]);
  }
  const returned = { submittedAt: 0, finishedAt: null, attempts: [attempt(1, 0, 1_000, "released")] };
  expect(handOvers(returned)).toEqual(["1 released undefined at 1000"]);
});

it("shows that a second device got the job while the first goes on", () => {
  const slow = attempt(1, 0, 6_000, "outrun");
  const attempts = [slow, attempt(2, 2_000, 6_000, "succeeded")];
  expect(handOvers({ submittedAt: 0, finishedAt: 6_000, attempts })).toEqual(["1 second 2 at 2000"]);
  const running = [attempt(1, 0, null, "running"), attempt(2, 2_000, 3_000, "released")];
  // The first device still has it.
  expect(handOvers({ submittedAt: 0, finishedAt: null, attempts: running })).toEqual(["1 second 2 at 2000"]);
  const third = [...running, attempt(3, 4_000, null, "running")];
  expect(handOvers({ submittedAt: 0, finishedAt: null, attempts: third })).toEqual([
    "1 second 2 at 2000",
    "2 released 3 at 3000",
  ]);
});
