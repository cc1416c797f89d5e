import { expect, test } from "vitest";
import { CreationClock } from "./creation-clock.ts";

test("creation times of one millisecond rise and stay within it", () => {
  const clock = new CreationClock();
  const now = 1_790_000_000_000;
  const times = Array.from({ length: 1_000 }, () => clock.next(now));
  expect(times[0]).toBe(now);
  for (const [i, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[i] as number);
  expect(Math.floor(times.at(-1) as number)).toBe(now);
  expect(clock.next(now + 1)).toBe(now + 1);
});

test("creation times of a transaction rise while an overlapping one has a later clock", () => {
  const clock = new CreationClock();
  const now = 1_790_000_000_000;
  const first = clock.next(now);
  const later = clock.next(now + 1);
  const second = clock.next(now, first);
  expect(second).toBeGreaterThan(first);
  expect(second).toBeLessThan(later);
  expect(clock.next(now + 1)).toBeGreaterThan(later);
});
