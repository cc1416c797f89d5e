import { expect, onTestFinished, test, vi } from "vitest";
import { startSweeper } from "./sweeper.ts";

const hourMs = 3_600_000;

function withFakeTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

test("the sweeper sweeps at the start and every hour, even after a failed sweep", async () => {
  withFakeTime();
  const errors: unknown[] = [];
  let sweeps = 0;
  const close = startSweeper({
    sweep: () => {
      sweeps += 1;
      throw new Error(`sweep ${sweeps}`);
    },
    onError: (error) => errors.push((error as Error).message),
  });
  await vi.advanceTimersByTimeAsync(2 * hourMs);
  expect(errors).toEqual(["sweep 1", "sweep 2", "sweep 3"]);
  await close();
  await vi.advanceTimersByTimeAsync(2 * hourMs);
  expect(sweeps).toBe(3);
});

test("the sweeper runs one sweep at a time, and closes when the current one is done", async () => {
  withFakeTime();
  const underWay = Promise.withResolvers<null>();
  const signals: AbortSignal[] = [];
  const close = startSweeper({
    sweep: (signal) => {
      signals.push(signal);
      return underWay.promise;
    },
    onError: (error) => expect.unreachable(String(error)),
  });
  await vi.advanceTimersByTimeAsync(3 * hourMs);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  let isClosed = false;
  const closed = close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(hourMs);
  expect([signals[0]?.aborted, isClosed]).toEqual([true, false]);
  underWay.resolve(null);
  await closed;
});
