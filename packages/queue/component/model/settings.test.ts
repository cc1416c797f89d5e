import { describe, expect, it } from "vitest";
import { queue, refused, scope, startQueue } from "../testing/queue.fixture.ts";
import { defaultSettings } from "./settings.ts";

describe("settings", () => {
  it("settings of a scope override those of all scopes, which override the defaults", async () => {
    const t = startQueue();
    expect(await t.query(queue.settings.get, { scope })).toEqual(defaultSettings);
    await t.mutation(queue.settings.configure, {
      scope: "",
      values: { leaseMs: 20_000, maxQueued: 7, policy: { maxFailures: 2 } },
    });
    await t.mutation(queue.settings.configure, {
      scope,
      values: { maxQueued: 9, policy: { chunksKeptMs: 0 } },
    });
    expect(await t.query(queue.settings.get, { scope })).toEqual({
      ...defaultSettings,
      leaseMs: 20_000,
      maxQueued: 9,
      policy: { ...defaultSettings.policy, maxFailures: 2, chunksKeptMs: 0 },
    });
    // Settings that are left out return to their default.
    await t.mutation(queue.settings.configure, { scope, values: {} });
    expect(await t.query(queue.settings.get, { scope })).toMatchObject({ maxQueued: 7 });
  });

  it.each([
    { leaseMs: 4_999 },
    { offlineAfterMs: Number.NaN },
    { offlineAfterMs: 89_999 },
    { leaseMs: 150_001 },
    { leaseMs: 120_001, offlineAfterMs: 120_000 },
    { maxQueued: 0 },
    { maxQueuedPerRequester: 1.5 },
    { maxPayloadBytes: 1_000_001 },
    { maxLanes: 65 },
    { maxBatchJobs: 1_000_001 },
    { releasePauseMs: -1 },
    { minRetryAfterMs: 0 },
    { maxRetryAfterMs: 90_000_000 },
    { minRetryAfterMs: 10_000, maxRetryAfterMs: 5_000 },
    { maxChunkBytes: 300_000 },
    { maxTextBytes: 1_024.5 },
    { watchMs: 3_600_001 },
    { policy: { maxFailures: 0 } },
    { policy: { maxFailuresByJob: 0 } },
    { policy: { recordKeptMs: -1 } },
    { policy: { backoff: { firstMs: 1, factor: 0.5, maxMs: 1, jitter: 0 } } },
  ])("settings refuse %o", async (values) => {
    const t = startQueue();
    expect(await refused(t.mutation(queue.settings.configure, { scope, values }))).toBe("invalid");
  });

  it("settings refuse a lease longer than the time until offline, also if each is set for other scopes", async () => {
    const t = startQueue();
    const set = async (of: string, values: { leaseMs?: number; offlineAfterMs?: number }) =>
      await t.mutation(queue.settings.configure, { scope: of, values });
    await set("", { leaseMs: 600_000, offlineAfterMs: 600_000 });
    expect(await refused(set(scope, { offlineAfterMs: 300_000 }))).toBe("invalid");
    await set(scope, { leaseMs: 60_000, offlineAfterMs: 90_000 });
    await set("other", { leaseMs: 500_000 });
    expect(await refused(set("", {}))).toBe("invalid");
    expect(await refused(set("", { offlineAfterMs: 400_000 }))).toBe("invalid");
    await set("", { offlineAfterMs: 500_000 });
  });
});
