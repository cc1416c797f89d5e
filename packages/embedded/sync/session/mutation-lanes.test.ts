import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { MutationLanes } from "./mutation-lanes.ts";

test("mutations run in order within a session, and concurrently across sessions", async () => {
  const lanes = new MutationLanes();
  const events: string[] = [];
  const task = (name: string, ms: number) => async () => {
    events.push(`${name} starts`);
    await sleep(ms);
    events.push(`${name} ends`);
  };
  lanes.enqueue("a", task("a1", 20), () => false);
  lanes.enqueue("a", task("a2", 0), () => false);
  lanes.enqueue("b", task("b1", 0), () => false);
  await lanes.idle();
  expect(events.indexOf("a1 ends")).toBeLessThan(events.indexOf("a2 starts"));
  expect(events.indexOf("b1 starts")).toBeLessThan(events.indexOf("a1 ends"));
});

test("a mutation canceled while waiting never starts", async () => {
  const lanes = new MutationLanes();
  let gone = false;
  const ran: number[] = [];
  lanes.enqueue(
    "a",
    () =>
      Promise.resolve()
        .then(() => void ran.push(1))
        .then(() => void (gone = true)),
    () => gone,
  );
  lanes.enqueue(
    "a",
    () => Promise.resolve(void ran.push(2)),
    () => gone,
  );
  lanes.enqueue(
    "a",
    () => Promise.resolve(void ran.push(3)),
    () => false,
  );
  await lanes.idle();
  expect(ran).toEqual([1, 3]);
});
