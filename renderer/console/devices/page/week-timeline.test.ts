import { expect, it } from "vitest";
import { startOfDay } from "../../../../app/format/time.ts";
import type { DeviceSpan } from "../../data/rows.ts";
import { colorOf, dayWords, reasonText, segmentWords, standbyTotals, timelineOf } from "./week-timeline.ts";

const hour = 3_600_000;
const midnight = startOfDay(1_800_000_000_000);
const now = midnight + 12 * hour;

const spans: readonly DeviceSpan[] = [
  { at: midnight - 30 * hour, state: "offline", reason: "" },
  { at: midnight - 2 * hour, state: "donating", reason: "idle" },
  { at: midnight + 3 * hour, state: "standby", reason: "on-battery" },
  { at: midnight + 4 * hour, state: "donating", reason: "idle" },
];

it("cuts the journal into seven days, the newest first, and ends at this moment", () => {
  const days = timelineOf(spans, now);
  expect(days.length).toBe(7);
  const [today, yesterday, before] = days;
  expect(today?.startAt).toBe(midnight);
  expect(today?.segments.map(({ from, to, state }) => [from - midnight, to - midnight, state])).toEqual([
    [0, 3 * hour, "donating"],
    [3 * hour, 4 * hour, "standby"],
    [4 * hour, 12 * hour, "donating"],
  ]);
  expect(today?.donatedMs).toBe(11 * hour);
  expect(yesterday?.segments.map(({ state }) => state)).toEqual(["offline", "donating"]);
  expect(before?.segments.map(({ from, to }) => to - from)).toEqual([6 * hour]);
  expect(days[6]?.segments).toEqual([]);
});

it("says why the device did not donate, the longest reason first", () => {
  expect(standbyTotals(timelineOf(spans, now))).toEqual([
    { words: "Offline", state: "offline", ms: 28 * hour, color: "line" },
    { words: reasonText("on-battery"), state: "standby", ms: hour, color: "rest" },
  ]);
});

it("gives the longest reasons a color each, in the bars as in their list", () => {
  const reasons = ["on-battery", "in-use", "outside-schedule", "full-screen", "on-battery"];
  const days = timelineOf(
    reasons.map((reason, index) => ({ at: midnight + index * hour, state: "standby", reason })),
    midnight + 5 * hour,
  );
  const totals = standbyTotals(days);
  expect(totals.map(({ words }) => words)[0]).toBe(reasonText("on-battery"));
  expect(totals.map(({ color }) => color)).toEqual(["rest", "hold", "edge", "edge"]);
  const colors = days[0]?.segments.map((segment) => colorOf(totals, segment));
  expect(colors).toEqual(["rest", "hold", "edge", "edge", "rest"]);
  expect(colorOf(totals, { state: "paused", reason: "" })).toBe("bad");
});

it("puts a segment and a day into words", () => {
  const [today, , , , , , first] = timelineOf(spans, now);
  expect(segmentWords(today!.segments[1]!)).toBe(
    `Standby, ${reasonText("on-battery")!}: 03:00 to 04:00 (1h)`,
  );
  expect(dayWords(today!)).toMatch(/^\w+ \d+: donated 11h/);
  expect(dayWords(first!)).toBe("Nothing is known");
  expect(reasonText("no such reason")).toBeNull();
});
