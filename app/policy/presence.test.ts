import { describe, expect, it } from "vitest";
import { known, unknown } from "../facts/facts.ts";
import { away, donating, inUse, now, standbyFor, testEdges } from "./decide.fixture.ts";
import { decide } from "./decide.ts";
import type { Activity } from "./decision.ts";
import { idleLimits } from "./limits.fixture.ts";
import { defaultRules } from "./rules.ts";

describe("a locked computer", () => {
  const locked = { locked: known(true), idleSeconds: known(10) };
  testEdges([
    { when: "the computer has been locked and without input for ten seconds", facts: locked, to: "idle" },
    {
      when: "the computer is locked and had input nine seconds ago",
      facts: { ...locked, idleSeconds: known(9) },
      to: "in-use",
      recheckAt: now + 1_000,
    },
    {
      when: "the computer is locked and that does not count as idle",
      facts: locked,
      rules: { idleWhenLocked: false },
      to: "in-use",
      recheckAt: now + 110_000,
    },
    {
      when: "it is unknown whether the computer is locked",
      facts: { ...locked, locked: unknown },
      to: "in-use",
      recheckAt: now + 110_000,
    },
    {
      when: "the computer is locked and its input is unknown",
      facts: { ...locked, idleSeconds: unknown },
      to: "idle-unknown",
    },
    {
      when: "the display is off and the input is unknown",
      facts: { displayOff: known(true), idleSeconds: unknown },
      to: "idle-unknown",
    },
  ]);
});

describe("a computer in use that may do a little", () => {
  const inUseRules = { mode: "limited", threads: 2, gpu: false, memoryMb: 1_024 } as const;
  const limits = { threads: 2, gpu: false, memoryMb: 1_024, dutyCycle: 0.5, confined: true };
  const rules = { inUse: inUseRules };
  testEdges([
    {
      when: "the computer is in use and limits for that are set",
      facts: { idleSeconds: known(20) },
      rules,
      to: "within-limits",
      limits,
      recheckAt: now + 100_000,
    },
    {
      when: "the idle time is unknown and limits for use are set",
      facts: { idleSeconds: unknown },
      rules,
      to: "within-limits",
      limits,
    },
    { when: "the computer is idle and limits for use are set", rules, to: "idle" },
    {
      when: "the computer is in use and other programs need the processor",
      facts: { idleSeconds: known(0), otherCpuLoad: known(0.7) },
      rules,
      to: "other-load",
    },
    {
      when: "the computer is in use and its user is on a call",
      facts: { idleSeconds: known(0), cameraInUse: known(true) },
      rules,
      to: "in-call",
    },
    {
      when: "the computer is in use and its user asks to donate now",
      facts: { idleSeconds: known(0), donateNowUntil: now + 5 },
      rules,
      to: "donate-now",
      recheckAt: now + 5,
    },
  ]);

  const within: Activity = {
    kind: "donating",
    reason: "within-limits",
    since: 5,
    limits: { ...idleLimits, ...limits },
  };
  const still = (since: number): Activity => ({ ...within, limits: { ...within.limits, stillSince: since } });
  testEdges([
    {
      when: "somebody starts to type while it works within limits",
      rules,
      from: within,
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now },
      recheckAt: now + 2_000,
    },
    {
      when: "somebody typed a second ago while it rests",
      rules,
      from: still(now - 3_000),
      to: "within-limits",
      facts: { idleSeconds: known(1) },
      limits: { ...limits, stillSince: now - 3_000 },
      recheckAt: now + 1_000,
    },
    {
      when: "there was no input for two seconds while it rests",
      rules,
      from: still(now - 9_000),
      to: "within-limits",
      limits,
      facts: { idleSeconds: known(2) },
      recheckAt: now + 118_000,
    },
    {
      when: "somebody has typed for almost ten seconds",
      rules,
      from: still(now - 9_999),
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now - 9_999 },
      recheckAt: now + 1,
    },
    {
      when: "somebody has typed for ten seconds",
      rules,
      from: still(now - 10_000),
      to: "in-use",
      facts: { idleSeconds: known(0) },
      recheckAt: now + 10_000,
    },
    {
      when: "the clock was set back while it rests",
      rules,
      from: still(now + 60_000),
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now },
      recheckAt: now + 2_000,
    },
    {
      when: "the idle time becomes unknown while it rests",
      rules,
      from: still(now - 9_000),
      to: "within-limits",
      limits,
      facts: { idleSeconds: unknown },
    },
    {
      when: "somebody typed nine seconds ago, which is too recent to start",
      rules,
      from: inUse,
      to: "in-use",
      facts: { idleSeconds: known(9) },
      recheckAt: now + 1_000,
    },
    {
      when: "somebody typed ten seconds ago, which is long enough to start",
      rules,
      from: inUse,
      to: "within-limits",
      limits,
      facts: { idleSeconds: known(10) },
      recheckAt: now + 110_000,
    },
    {
      when: "somebody comes back to an idle computer with limits for use",
      rules,
      from: donating,
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now },
      recheckAt: now + 2_000,
    },
    {
      when: "somebody types and no model is here",
      rules,
      from: standbyFor("no-model"),
      to: "no-model",
      facts: { idleSeconds: known(0), modelReady: false },
    },
    {
      when: "somebody types who asked to donate now",
      rules,
      from: still(now - 9_000),
      to: "donate-now",
      facts: { idleSeconds: known(0), donateNowUntil: now + 5 },
      recheckAt: now + 5,
    },
  ]);

  it("widens the limits once the computer is idle", () => {
    const limited = decide(inUse, { ...away, idleSeconds: known(20) }, { ...defaultRules, ...rules }).next;
    const { next, effects } = decide(limited, away, { ...defaultRules, ...rules });
    expect(next).toEqual({ kind: "donating", reason: "idle", since: now, limits: idleLimits });
    expect(effects).toEqual([{ kind: "limit", limits: idleLimits }]);
  });
});

describe("donate-now where it is not allowed", () =>
  testEdges([
    {
      when: "its user asks to donate now on a computer in use, which is not allowed",
      facts: { idleSeconds: known(20), donateNowUntil: now + 5 },
      rules: { allowDonateNow: false },
      to: "in-use",
      recheckAt: now + 100_000,
    },
    {
      when: "its user asks to donate now on an idle computer, which is not allowed",
      facts: { donateNowUntil: now + 5 },
      rules: { allowDonateNow: false },
      to: "idle",
    },
  ]));

describe("finish, then pause", () => {
  const finishing = { ...away, finishThenPause: true };

  it("emits `finish` once, and gives that as its reason", () => {
    const first = decide(donating, finishing, defaultRules);
    expect(first.next).toEqual({ kind: "donating", reason: "finishing", since: now, limits: idleLimits });
    expect(first.effects).toEqual([{ kind: "finish" }]);
    expect(decide(first.next, finishing, defaultRules).effects).toEqual([]);
  });

  it("takes jobs again when its user no longer wants it to finish and pause", () => {
    const first = decide(donating, finishing, defaultRules);
    expect(decide(first.next, away, defaultRules).effects).toEqual([{ kind: "accept", limits: idleLimits }]);
  });

  it("yields while it finishes a job when the person comes back", () => {
    const first = decide(donating, finishing, defaultRules);
    const back = decide(first.next, { ...finishing, idleSeconds: known(0) }, defaultRules);
    expect(back.effects).toEqual([{ kind: "yield", reason: "in-use" }]);
  });

  testEdges([
    {
      when: "it has to finish first and no job runs",
      facts: { finishThenPause: true },
      from: inUse,
      to: "paused-by-you",
    },
    {
      when: "it has to finish first, no job runs and the computer is in use",
      facts: { finishThenPause: true, idleSeconds: known(0) },
      from: standbyFor("offline"),
      to: "in-use",
      recheckAt: now + 120_000,
    },
  ]);
});
