import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("long work leaves turns of the event loop to others, and keeps its order", async () => {
  const turns = new Turns();
  const done: number[] = [];
  let others = 0;
  const other = setInterval(() => (others += 1), 1);
  await new Promise<void>((resolve) => {
    for (let n = 0; n < 20; n += 1) {
      turns.run(() => {
        busy(5);
        done.push(n);
        if (n === 19) resolve();
      });
    }
  });
  clearInterval(other);
  expect(done).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(others).toBeGreaterThan(5);
});

test("a task with time left in its turn runs at once", () => {
  const turns = new Turns();
  let ran = false;
  turns.run(() => (ran = true));
  expect(ran).toBe(true);
});

test("the time that a task's promises take counts, too", async () => {
  const turns = new Turns();
  let others = 0;
  const other = setInterval(() => (others += 1), 1);
  const runs = Array.from({ length: 20 }, async () => {
    await turns.turn();
    await Promise.resolve();
    busy(5);
  });
  await Promise.all(runs);
  clearInterval(other);
  expect(others).toBeGreaterThan(5);
});
