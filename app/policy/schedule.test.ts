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
    { name: "no hour at all", rules: { schedule: [] }, to: "outside-schedule" },
    {
      name: "within its hours",
      rules: { schedule: [at([1], 9, 12)] },
      to: "idle",
      recheckAt: inMinutes(120),
    },
    {
      name: "its hours just began",
      rules: { schedule: [at([1], 10, 12)] },
      to: "idle",
      recheckAt: inMinutes(120),
    },
    {
      name: "its hours just ended",
      rules: { schedule: [at([1], 9, 10)] },
      to: "outside-schedule",
      recheckAt: inMinutes(7 * 24 * hour - hour),
    },
    {
      name: "later today",
      rules: { schedule: [at([1], 18, 24)] },
      to: "outside-schedule",
      recheckAt: inMinutes(8 * hour),
    },
    {
      name: "another day",
      rules: { schedule: [at([5, 6], 0, 24)] },
      to: "outside-schedule",
      recheckAt: inMinutes((3 * 24 + 14) * hour),
    },
    {
      name: "every night, by day",
      rules: { schedule: [at(every, 20, 8)] },
      to: "outside-schedule",
      recheckAt: inMinutes(10 * hour),
    },
    {
      name: "from Monday night on",
      rules: { schedule: [at([0], 20, 11)] },
      to: "idle",
      recheckAt: inMinutes(hour),
    },
    {
      name: "from Sunday across the week's end",
      rules: { schedule: [at([6], 20, 12), at([0], 12, 24), at([1], 0, 11)] },
      to: "idle",
      recheckAt: inMinutes(hour),
    },
    { name: "all week", rules: { schedule: [at(every, 0, 24)] }, to: "idle" },
    { name: "a window as long as a day", rules: { schedule: [at(every, 9, 9)] }, to: "idle" },
    {
      name: "one window into the next",
      rules: { schedule: [at([1], 9, 11), at([1], 11, 13), at([1], 10, 12)] },
      to: "idle",
      recheckAt: inMinutes(3 * hour),
    },
    {
      name: "donate-now stands for the hours",
      facts: { donateNowUntil: now + 5 },
      rules: { schedule: [] },
      to: "donate-now",
      recheckAt: now + 5,
    },
    {
      name: "donate-now, where the organization forbids it",
      facts: { donateNowUntil: now + 5 },
      rules: { schedule: [], allowDonateNow: false },
      to: "outside-schedule",
    },
  ]));

it("ends no schedule that is not open, and none that never ends", () => {
  expect(scheduleEndsAt(null, now, 0)).toBeNull();
  expect(scheduleEndsAt([at([3], 0, 24)], now, 0)).toBeNull();
  expect(scheduleEndsAt([at(every, 9, 9)], now, 0)).toBeNull();
  expect(scheduleEndsAt([at([6], 23, 1)], now, 7 * 24 * hour - 1)).toBe(inMinutes(hour + 1));
});
