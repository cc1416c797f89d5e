import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BackOff, doubling, oneToSixtySeconds } from "./back-off.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** After how many ms a hundred devices try again after their n-th failure. */
async function retries(failures: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let device = 0; device < 100; device += 1) {
    const backOff = new BackOff();
    const start = Date.now();
    for (let n = 1; n < failures; n += 1) backOff.scheduleRetry(() => undefined);
    backOff.scheduleRetry(() => times.push(Date.now() - start));
    await vi.advanceTimersByTimeAsync(60_000);
  }
  return times;
}

it.each([1, 3, 10])("spreads a fleet's retry no. %i over half of its delay", async (failures) => {
  const longest = oneToSixtySeconds(failures);
  const times = await retries(failures);
  expect(times).toHaveLength(100);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(longest / 2);
  expect(Math.max(...times)).toBeLessThanOrEqual(longest);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(longest / 4);
});

it("doubles from a second to a minute", () => {
  expect([1, 2, 3, 7, 50].map(oneToSixtySeconds)).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
});

it("tries again later and later, once for each failure, until a try succeeds", () => {
  const calls: number[] = [];
  const begun = Date.now();
  const backOff = new BackOff(doubling(5_000, 15 * 60_000));
  const fail = (): void => backOff.scheduleRetry(() => calls.push(Date.now() - begun));
  fail();
  expect(backOff.isPending).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect([calls, backOff.isPending]).toEqual([[5_000], false]);
  fail();
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual([5_000, 70_000]);
  fail();
  backOff.reset();
  vi.advanceTimersByTime(3_600_000);
  expect(calls).toHaveLength(2);
  fail();
  vi.advanceTimersByTime(10_000);
  expect(calls).toHaveLength(3);
});
