import { expect, it } from "vitest";
import type { Explanation } from "../../../app/contract/explanation.ts";
import { isRecorded, weekOf, weekStart } from "./week.ts";

const minute = 60_000;
const hour = 60 * minute;
const until = new Date(2026, 4, 12, 12, 30).getTime();
const midnight = new Date(2026, 4, 12).getTime();

type Kind = Explanation["spans"][number]["kind"];
const span = (from: number, to: number, kind: Kind, reason: string) => ({
  from,
  to,
  kind,
  reason,
  short: reason,
  facts: {},
});

it("cuts spans at midnight, today first, without gaps", () => {
  const since = weekStart(until);
  const evening = midnight - 2 * hour;
  const week = weekOf({
    until,
    spans: [
      span(since, evening, "unknown", "not-recorded"),
      span(evening, midnight + hour, "donating", "idle"),
      span(midnight + hour, until, "standby", "in-use"),
    ],
  });
  expect(week).toHaveLength(7);
  expect(week[0]).toMatchObject({ from: midnight, to: midnight + 24 * hour });
  expect(week[0]?.spans.map(({ reason, from, to }) => [reason, (to - from) / hour])).toEqual([
    ["idle", 1],
    ["in-use", 11.5],
  ]);
  expect(week[1]?.spans.map(({ reason, from, to }) => [reason, (to - from) / hour])).toEqual([
    ["not-recorded", 22],
    ["idle", 2],
  ]);
  expect(week.at(-1)?.from).toBe(since);
});

it("joins short spans in turn, for half an hour at most, and keeps how long each state lasted", () => {
  const turns = Array.from({ length: 12 }, (_, at) =>
    span(
      midnight + at * 5 * minute,
      midnight + (at + 1) * 5 * minute,
      at % 3 === 0 ? "donating" : "standby",
      at % 3 === 0 ? "idle" : "in-use",
    ),
  );
  const [today] = weekOf({ until, spans: [...turns, span(midnight + hour, until, "donating", "idle")] });
  expect(today?.spans.map(({ from, to, reason }) => [(to - from) / minute, reason])).toEqual([
    [30, "in-use"],
    [30, "in-use"],
    [11.5 * 60, "idle"],
  ]);
  expect(today?.spans[0]?.parts).toEqual([
    { kind: "standby", reason: "in-use", ms: 20 * minute },
    { kind: "donating", reason: "idle", ms: 10 * minute },
  ]);
});

it("keeps a day of 23 or 25 hours whole", () => {
  for (const day of [new Date(2026, 2, 29, 12), new Date(2026, 9, 25, 12)]) {
    const now = day.getTime();
    const [today, yesterday] = weekOf({ until: now, spans: [] });
    expect(yesterday?.to).toBe(today?.from);
    expect(new Date(today?.to ?? 0).getHours()).toBe(0);
  }
});

it("knows a journal with less than a minute as empty", () => {
  const nothing = span(weekStart(until), until - 30_000, "unknown", "not-recorded");
  const starting = span(until - 30_000, until, "standby", "starting");
  expect(isRecorded([nothing, starting])).toBe(false);
  expect(isRecorded([nothing, { ...starting, to: until + minute }])).toBe(true);
});
