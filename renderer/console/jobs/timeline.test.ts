import { expect, it } from "vitest";
import type { JobDetail } from "../data/rows.ts";
import { timelineOf } from "./timeline.ts";

const attempt = (number: number, startedAt: number, endedAt: number | null) =>
  ({ number, startedAt, endedAt, status: "lost" }) as JobDetail["attempts"][number];

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
    ["wait", 2_000, 1_500, false],
    ["attempt", 3_500, 1_500, true],
  ]);
  expect(totalMs).toBe(5_000);
});

it("waits on after a failed attempt, and leaves out waits of a few milliseconds", () => {
  const job = { submittedAt: 1_000, finishedAt: null, attempts: [attempt(1, 1_002, 3_000)] };
  expect(timelineOf(job, 4_000).steps.map(({ kind, isNow }) => [kind, isNow])).toEqual([
    ["attempt", false],
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
  expect(steps.map(({ kind }) => kind)).toEqual(["attempt", "attempt"]);
});
