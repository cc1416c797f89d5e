import { expect, it } from "vitest";
import { moved } from "./move.ts";
import type { Day } from "./week.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** A day whose spans begin at these hours. */
function dayWith(from: number, hours: readonly number[], end = 24): Day {
  const ends = [...hours.slice(1), end];
  const spans = hours.map((begin, at) => ({
    kind: "donating" as const,
    reason: "idle",
    from: from + begin * hour,
    to: from + (ends[at] ?? end) * hour,
    parts: [],
  }));
  return { from, to: from + day, spans };
}

/** Today first. It is noon. */
const week = [dayWith(day, [0, 8], 12), dayWith(0, [0, 6, 18])];

it.each([
  ["ArrowRight", 0, 6],
  ["ArrowRight", 18, 24],
  ["ArrowLeft", 24, 18],
  ["ArrowUp", 6, 24],
  ["ArrowUp", 18, 32],
  ["ArrowDown", 32, 6],
  ["Home", 18, 0],
  ["End", 24, 32],
])("%s goes from hour %i to hour %i", (key, from, to) => {
  expect(moved(week, from * hour, key)).toBe(to * hour);
});

it("stays at the edges of the week, and for other keys", () => {
  expect(moved(week, 0, "ArrowLeft")).toBeNull();
  expect(moved(week, 32 * hour, "ArrowRight")).toBeNull();
  expect(moved(week, 24 * hour, "ArrowUp")).toBeNull();
  expect(moved(week, 0, "ArrowDown")).toBeNull();
  expect(moved(week, 0, "a")).toBeNull();
});
