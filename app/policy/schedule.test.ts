import { describe, expect, it } from "vitest";
import { now, testEdges } from "./decide.fixture.ts";
import { scheduleEndsAt } from "./rules/schedule.ts";

// The tests' now is a Tuesday, 10:00.
const minute = Math.floor(now / 60_000) * 60_000;
const inMinutes = (minutes: number): number => minute + minutes * 60_000;
const hour = 60;
const every = [0, 1, 2, 3, 4, 5, 6];
const at = (days: readonly number[], from: number, to: number) => ({
  days,
  fromMinute: from * hour,
  toMinute: to * hour,
});

describe("the schedule", () =>
  testEdges([
    { when: "the schedule has no hours", rules: { schedule: [] }, to: "outside-schedule" },
    {
      when: "the schedule is open",
      rules: { schedule: [at([1], 9, 12)] },
      to: "idle",
      recheckAt: inMinutes(120),
    },
    {
      when: "the schedule has just opened",
      rules: { schedule: [at([1], 10, 12)] },
      to: "idle",
      recheckAt: inMinutes(120),
    },
    {
      when: "the schedule has just closed",
      rules: { schedule: [at([1], 9, 10)] },
      to: "outside-schedule",
      recheckAt: inMinutes(7 * 24 * hour - hour),
    },
    {
      when: "the schedule opens later today",
      rules: { schedule: [at([1], 18, 24)] },
      to: "outside-schedule",
      recheckAt: inMinutes(8 * hour),
    },
    {
      when: "the schedule opens on another day",
      rules: { schedule: [at([5, 6], 0, 24)] },
      to: "outside-schedule",
      recheckAt: inMinutes((3 * 24 + 14) * hour),
    },
    {
      when: "the schedule is open every night and it is day",
      rules: { schedule: [at(every, 20, 8)] },
      to: "outside-schedule",
      recheckAt: inMinutes(10 * hour),
    },
    {
      when: "the schedule is open from Monday night to Tuesday",
      rules: { schedule: [at([0], 20, 11)] },
      to: "idle",
      recheckAt: inMinutes(hour),
    },
    {
      when: "the schedule is open from Sunday across the end of the week",
      rules: { schedule: [at([6], 20, 12), at([0], 12, 24), at([1], 0, 11)] },
      to: "idle",
      recheckAt: inMinutes(hour),
    },
    { when: "the schedule is open all week", rules: { schedule: [at(every, 0, 24)] }, to: "idle" },
    {
      when: "each window of the schedule is as long as a day",
      rules: { schedule: [at(every, 9, 9)] },
      to: "idle",
    },
    {
      when: "one window of the schedule opens before another closes",
      rules: { schedule: [at([1], 9, 11), at([1], 11, 13), at([1], 10, 12)] },
      to: "idle",
      recheckAt: inMinutes(3 * hour),
    },
    {
      when: "its user asks to donate now and the schedule has no hours",
      facts: { donateNowUntil: now + 5 },
      rules: { schedule: [] },
      to: "donate-now",
      recheckAt: now + 5,
    },
    {
      when: "its user asks to donate now, which is not allowed, and the schedule has no hours",
      facts: { donateNowUntil: now + 5 },
      rules: { schedule: [], allowDonateNow: false },
      to: "outside-schedule",
    },
  ]));

it("gives no end for a schedule that is closed or never closes", () => {
  expect(scheduleEndsAt(null, now, 0)).toBeNull();
  expect(scheduleEndsAt([at([3], 0, 24)], now, 0)).toBeNull();
  expect(scheduleEndsAt([at(every, 9, 9)], now, 0)).toBeNull();
  expect(scheduleEndsAt([at([6], 23, 1)], now, 7 * 24 * hour - 1)).toBe(inMinutes(hour + 1));
});
