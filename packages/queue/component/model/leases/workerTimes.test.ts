import { expect, it } from "vitest";
import { workerTimes } from "../../../worker/times.ts";
import { startWithinMs } from "../dispatch/assign.ts";
import { defaultSettings } from "../settings.ts";

it("a worker's times are those that the queue goes by", () => {
  expect(workerTimes.heldLateAfterMs).toBe(startWithinMs);
  // What is noted of the last sign is a tenth of the lease old at most, and one heartbeat of two may be lost.
  expect(2 * workerTimes.heartbeatHoldingMs).toBeLessThan(0.9 * defaultSettings.leaseMs);
  expect(2 * workerTimes.heartbeatIdleMs).toBeLessThan(0.9 * defaultSettings.offlineAfterMs);
});
