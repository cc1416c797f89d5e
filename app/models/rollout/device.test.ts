import { describe, expect, it } from "vitest";
import { deviceStateOf, failuresUntilFailed, hasBegun, isHeldBack, type RolloutState } from "./device.ts";

describe("the state of a model on a device", () => {
  it.each([
    [undefined, "none", undefined],
    [{ state: "missing" }, "waiting", undefined],
    [{ state: "waiting", why: "metered" }, "waiting", undefined],
    [{ state: "missing", why: "removed" }, "waiting", undefined],
    [{ state: "downloading" }, "downloading", undefined],
    [{ state: "verifying" }, "downloading", undefined],
    [{ state: "ready" }, "ready", undefined],
    [{ state: "corrupt" }, "failed", "corrupt"],
    [{ state: "waiting", why: "wrong-content" }, "failed", "wrong-content"],
    [{ state: "waiting", why: "disk-full" }, "failed", "disk-full"],
    [{ state: "missing", why: "no-source" }, "failed", "no-source"],
  ] as const)("of %j is %s", (report, state, why) => {
    expect(deviceStateOf(report, 0)).toEqual(why === undefined ? { state } : { state, why });
  });

  it("is failed after some failed jobs", () => {
    expect(deviceStateOf({ state: "ready" }, failuresUntilFailed - 1).state).toBe("ready");
    expect(deviceStateOf({ state: "ready" }, failuresUntilFailed)).toEqual({ state: "failed", why: "jobs" });
  });

  it("says whether the device has a part of the file", () => {
    expect(hasBegun(undefined)).toBe(false);
    expect(hasBegun({ state: "waiting", downloadedBytes: 0 })).toBe(false);
    expect(hasBegun({ state: "waiting", downloadedBytes: 1 })).toBe(true);
    expect(hasBegun({ state: "downloading" })).toBe(true);
    expect(hasBegun({ state: "ready" })).toBe(true);
  });
});

describe("a device is held back", () => {
  const held = (
    state: RolloutState,
    rank: number,
    mark: { begun?: boolean; had?: boolean } = {},
    isNew = true,
  ) =>
    isHeldBack({ state, stages: [{ upTo: 0.1 }, { upTo: 1 }], stage: 0, isNew }, rank, {
      begun: false,
      had: false,
      ...mark,
    });

  it("while its stage has not begun, unless it has begun already", () => {
    for (const state of ["running", "paused"] as const) {
      expect(held(state, 0.1)).toBe(false);
      expect(held(state, 0.11)).toBe(true);
      expect(held(state, 0.11, { begun: true })).toBe(false);
    }
  });

  it("until the stages are planned, if the model is new", () => {
    expect(held("planning", 0)).toBe(true);
    expect(held("planning", 0.9, {}, false)).toBe(false);
  });

  it("after a stop, unless it has begun", () => {
    expect(held("stopped", 0)).toBe(true);
    expect(held("stopped", 0.9, { begun: true })).toBe(false);
  });

  it("after a roll-back, unless it had the model before the roll-out", () => {
    expect(held("rolled-back", 0, { begun: true })).toBe(true);
    expect(held("rolled-back", 0.9, { begun: true, had: true })).toBe(false);
  });

  it("no more once the roll-out is done", () => {
    expect(held("done", 0.99)).toBe(false);
  });
});
