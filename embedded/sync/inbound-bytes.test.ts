import { expect, test } from "vitest";
import { InboundBytes, MAX_PENDING_BYTES } from "./inbound-bytes.ts";

test("stops above the bound, once, and goes on below half of it", () => {
  const told: string[] = [];
  const inbound = new InboundBytes({ pause: () => told.push("pause"), resume: () => told.push("resume") });
  const quarter = MAX_PENDING_BYTES / 4;
  const done = Array.from({ length: 4 }, () => inbound.hold(quarter));
  expect(told).toEqual([]);
  done.push(inbound.hold(1), inbound.hold(quarter));
  expect([told, inbound.paused]).toEqual([["pause"], true]);
  for (const release of done.slice(0, 3)) release();
  // Half, and one more.
  expect(told).toEqual(["pause"]);
  done[0]?.();
  expect(inbound.held).toBe(2 * quarter + 1);
  done[3]?.();
  expect([told, inbound.paused]).toEqual([["pause", "resume"], false]);
  for (const release of done) release();
  expect([inbound.held, told.length]).toEqual([0, 2]);
});
