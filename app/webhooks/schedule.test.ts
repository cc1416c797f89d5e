import { expect, it } from "vitest";
import { nextTryAt, retryAfterMs, retryPausesMs } from "./schedule.ts";

const now = 1_800_000_000_000;
const hourMs = 3_600_000;

it("tries for three days with longer and longer pauses, and then no more", () => {
  const pauses = retryPausesMs.map((_, index) => (nextTryAt(index + 1, null, 0, now) ?? 0) - now);
  expect(pauses).toEqual(retryPausesMs);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  const hours = pauses.reduce((sum, pause) => sum + pause, 0) / hourMs;
  expect(hours).toBeGreaterThan(72);
  expect(nextTryAt(retryPausesMs.length + 1, null, 0, now)).toBeNull();
});

it("spreads the tries, and waits as long as the receiver asks, up to a day", () => {
  expect(nextTryAt(2, null, 1, now)).toBe(now + 360_000);
  expect(nextTryAt(1, hourMs, 0.5, now)).toBe(now + hourMs);
  expect(nextTryAt(1, 99 * hourMs, 0, now)).toBe(now + 24 * hourMs);
});

it("reads the pause that a receiver asks for", () => {
  expect(retryAfterMs("120", now)).toBe(120_000);
  expect(retryAfterMs(new Date(now + 60_000).toUTCString(), now)).toBe(60_000);
  for (const header of [undefined, "", "soon", "-5", new Date(now - 60_000).toUTCString()])
    expect(retryAfterMs(header, now)).toBeNull();
});
