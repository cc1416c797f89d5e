import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { MutationQueues } from "./mutation-queues.ts";

test("mutations run in order within a session, and concurrently across sessions", async () => {
  const queues = new MutationQueues();
  const events: string[] = [];
  const task = (name: string, ms: number) => async () => {
    events.push(`${name} starts`);
    await sleep(ms);
    events.push(`${name} ends`);
  };
  queues.enqueue("a", task("a1", 20), () => false);
  queues.enqueue("a", task("a2", 0), () => false);
  queues.enqueue("b", task("b1", 0), () => false);
  await queues.idle();
  expect(events.indexOf("a1 ends")).toBeLessThan(events.indexOf("a2 starts"));
  expect(events.indexOf("b1 starts")).toBeLessThan(events.indexOf("a1 ends"));
});

test("a mutation canceled while waiting never starts", async () => {
  const queues = new MutationQueues();
  let gone = false;
  const ran: number[] = [];
  queues.enqueue(
    "a",
    () =>
      Promise.resolve()
        .then(() => void ran.push(1))
        .then(() => void (gone = true)),
    () => gone,
  );
  queues.enqueue(
    "a",
    () => Promise.resolve(void ran.push(2)),
    () => gone,
  );
  queues.enqueue(
    "a",
    () => Promise.resolve(void ran.push(3)),
    () => false,
  );
  await queues.idle();
  expect(ran).toEqual([1, 3]);
});
