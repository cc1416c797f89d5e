import { describe, expect, it } from "vitest";
import { CrashBackoff } from "./crash-backoff.ts";

describe("CrashBackoff", () => {
  it("doubles the pause from a second to five minutes", () => {
    const backoff = new CrashBackoff();
    const pauses = Array.from({ length: 60 }, () => backoff.crashed());
    expect([1, 2, 3, 9, 10, 60].map((crashes) => pauses[crashes - 1])).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
  });

  it("counts crashes in a row, and restarts the count after a job that succeeded", () => {
    const backoff = new CrashBackoff();
    expect(backoff.restMs).toBe(0);
    expect([backoff.crashed(), backoff.crashed(), backoff.crashed()]).toEqual([1_000, 2_000, 4_000]);
    expect(backoff.crashes).toBe(3);
    backoff.succeeded();
    expect(backoff.crashed()).toBe(1_000);
    expect(backoff.crashes).toBe(1);
  });
});
