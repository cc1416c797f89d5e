import { describe, expect, it } from "vitest";
import { verdictOf } from "./janitor.ts";
import { renewed } from "./renew.ts";

const now = 1_000_000;
const lease = {
  leaseMs: 30_000,
  offlineAfterMs: 150_000,
  expiresAt: now + 25_000,
  lastSeenAt: now - 5_000,
  armed: true,
  presenceArmed: true,
};

describe("renewed", () => {
  it("writes nothing while two thirds are left and all is armed", () => {
    expect(renewed(lease, false, now)).toEqual({});
    expect(renewed(lease, true, now)).toEqual({});
    expect(renewed({ ...lease, expiresAt: now + 20_000 }, true, now)).toEqual({});
  });

  it("renews once less is left", () => {
    expect(renewed({ ...lease, expiresAt: now + 19_999 }, false, now)).toEqual({
      expiresAt: now + 30_000,
      lastSeenAt: now,
    });
  });

  it("arms the janitor for a job alone, and the check of presence for any call", () => {
    const unarmed = { ...lease, armed: false, presenceArmed: false };
    expect(renewed(unarmed, false, now)).toEqual({ presenceArmed: true });
    expect(renewed(unarmed, true, now)).toEqual({ armed: true, presenceArmed: true });
  });
});

describe("verdictOf", () => {
  const look = { deadline: now, graced: false };
  const over = { expiresAt: now, leaseMs: 30_000 };
  it.each([
    ["rests when nothing is held", over, 0, look, now, { kind: "rest" }],
    [
      "looks again when it was renewed",
      { ...over, expiresAt: now + 1 },
      1,
      look,
      now,
      { kind: "look-again", at: now + 1, graced: false },
    ],
    ["gives it up when it ran out", over, 1, look, now, { kind: "lost" }],
    ["gives it up when it looks a little late", over, 1, look, now + 5_000, { kind: "lost" }],
    [
      "gives one more lease when it looks late",
      over,
      1,
      look,
      now + 5_001,
      { kind: "look-again", at: now + 35_001, graced: true },
    ],
    ["gives only one more", over, 1, { ...look, graced: true }, now + 5_001, { kind: "lost" }],
  ])("%s", (_, row, held, at, time, verdict) => {
    expect(verdictOf(row, held, at, time)).toEqual(verdict);
  });
});
