import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { SerialWrites } from "./serial-writes.ts";

it("runs one write after the other, also after one that failed", async () => {
  const writes = new SerialWrites();
  const done: string[] = [];
  const first = writes.run(async () => {
    await sleep(20);
    done.push("first");
    throw new Error("disk full");
  });
  const second = writes.run(async () => void done.push("second"));
  await expect(first).rejects.toThrow("disk full");
  await second;
  expect(done).toEqual(["first", "second"]);
});

it("ends the writes that it has when it is closed, and takes none afterward", async () => {
  const writes = new SerialWrites();
  const done: string[] = [];
  void writes.run(async () => {
    await sleep(20);
    done.push("running");
  });
  void writes.run(async () => void done.push("waiting"));
  await writes.close();
  expect(done).toEqual(["running", "waiting"]);
  await writes.run(async () => void done.push("late"));
  expect(done).not.toContain("late");
});
