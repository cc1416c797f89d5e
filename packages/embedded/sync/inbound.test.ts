import { expect, test } from "vitest";
import { Inbound, maxPendingBytes, maxPendingMessages } from "./inbound.ts";

test("reading pauses above the limit of bytes and resumes below half of it", () => {
  const told: string[] = [];
  const inbound = new Inbound({ pause: () => told.push("pause"), resume: () => told.push("resume") });
  const quarter = maxPendingBytes / 4;
  const done = Array.from({ length: 4 }, () => inbound.hold(quarter));
  expect(told).toEqual([]);
  done.push(inbound.hold(1), inbound.hold(quarter));
  expect([told, inbound.paused]).toEqual([["pause"], true]);
  for (const release of done.slice(0, 3)) release();
  // Half, and one more.
  expect(told).toEqual(["pause"]);
  done[0]?.();
  expect(inbound.heldBytes).toBe(2 * quarter + 1);
  done[3]?.();
  expect([told, inbound.paused]).toEqual([["pause", "resume"], false]);
  for (const release of done) release();
  expect([inbound.heldBytes, told.length]).toEqual([0, 2]);
});

test("reading also pauses and resumes by the number of messages", () => {
  const told: string[] = [];
  const inbound = new Inbound({ pause: () => told.push("pause"), resume: () => told.push("resume") });
  const done = Array.from({ length: maxPendingMessages }, () => inbound.hold(1));
  expect(told).toEqual([]);
  done.push(inbound.hold(1));
  expect(told).toEqual(["pause"]);
  for (const release of done.slice(0, maxPendingMessages / 2)) release();
  expect(told).toEqual(["pause"]);
  for (const release of done) release();
  expect(told).toEqual(["pause", "resume"]);
});
