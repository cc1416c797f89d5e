import { expect, it, vi } from "vitest";
import { SerialTask } from "./serial-task.ts";

it("runs once at a time, and once more for all requests during a run", async () => {
  const ends: (() => void)[] = [];
  let rests = 0;
  const task = new SerialTask(
    () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      ends.push(() => resolve(undefined));
      return promise;
    },
    () => rests++,
  );
  task.request();
  expect(ends).toHaveLength(1);
  task.request();
  task.request();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.waitFor(() => expect(ends).toHaveLength(2));
  expect(rests).toBe(0);
  ends[1]?.();
  await vi.waitFor(() => expect(rests).toBe(1));
  expect(ends).toHaveLength(2);
  task.request();
  expect(ends).toHaveLength(3);
});
