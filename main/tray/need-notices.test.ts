import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { idleLimits } from "../../app/policy/limits.fixture.ts";
import type { StandbyReason } from "../../app/policy/reasons.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { needNotices } from "./need-notices.ts";

const minute = 60_000;
const donating = { kind: "donating", reason: "idle", since: 0, limits: idleLimits } as const;

let reason: StandbyReason | null;
let isWindowOpen: boolean;
let told: number;
let changed: () => void;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  reason = "in-use";
  isWindowOpen = false;
  told = 0;
  stop = needNotices({
    snapshot: {
      get: () => ({
        activity: reason === null ? donating : { kind: "standby", reason, since: 0 },
        rules: defaultRules,
        ruleLayers: { from: { allowLeave: "default" } },
      }),
      onDelta: (listener) => {
        changed = listener;
        return () => (changed = () => undefined);
      },
    },
    isWindowOpen: () => isWindowOpen,
    tell: () => (told += 1),
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** The number of notices after this state has lasted so long. */
function toldIn(next: StandbyReason | null, ms: number): number {
  reason = next;
  changed();
  vi.advanceTimersByTime(ms);
  return told;
}

it("tells only what a person has to mend, once it lasts", () => {
  expect(toldIn("on-battery", 5 * minute)).toBe(0);
  expect(toldIn("not-enrolled", minute / 2)).toBe(0);
  expect(toldIn(null, 5 * minute)).toBe(0);
  expect(toldIn("disk-full", minute)).toBe(1);
  expect(toldIn("disk-full", 600 * minute)).toBe(1);
});

it("tells the same need again after a day at the earliest, and another one at once", () => {
  expect(toldIn("disk-full", minute)).toBe(1);
  toldIn(null, minute);
  expect(toldIn("disk-full", 60 * minute)).toBe(1);
  expect(toldIn("outdated", minute)).toBe(2);
  toldIn(null, 24 * 60 * minute);
  expect(toldIn("outdated", minute)).toBe(3);
});

it("tells nothing to somebody who has the window open, nor after the end", () => {
  isWindowOpen = true;
  expect(toldIn("disk-full", 5 * minute)).toBe(0);
  isWindowOpen = false;
  toldIn("outdated", 0);
  stop();
  vi.advanceTimersByTime(5 * minute);
  expect(told).toBe(0);
});
