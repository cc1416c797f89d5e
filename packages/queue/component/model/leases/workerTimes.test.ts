import { expect, it } from "vitest";
import { workerTimes } from "../../../worker/contract/times.ts";
import { startWithinMs } from "../dispatch/assign.ts";
import { defaultSettings } from "../settings.ts";

it("a worker's times match those of the queue", () => {
  expect(workerTimes.heldLateAfterMs).toBe(startWithinMs);
  // The recorded sign is at most a tenth of the lease old, and one of two heartbeats may be lost.
  expect(2 * workerTimes.heartbeatHoldingMs).toBeLessThan(0.9 * defaultSettings.leaseMs);
  expect(2 * workerTimes.heartbeatIdleMs).toBeLessThan(0.9 * defaultSettings.offlineAfterMs);
});
