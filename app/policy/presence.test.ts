import { describe, expect, it } from "vitest";
import { known, unknown } from "../facts/facts.ts";
import { away, donating, holdingFor, inUse, now, testEdges } from "./decide.fixture.ts";
import { decide } from "./decide.ts";
import type { Activity } from "./decision.ts";
import { idleLimits } from "./limits.fixture.ts";
import { defaultRules } from "./rules.ts";

describe("a locked computer", () => {
  const locked = { locked: known(true), idleSeconds: known(10) };
  testEdges([
    { name: "locked for ten seconds", facts: locked, to: "idle" },
    {
      name: "locked just now",
      facts: { ...locked, idleSeconds: known(9) },
      to: "in-use",
      recheckAt: now + 1_000,
    },
    {
      name: "locked does not count",
      facts: locked,
      rules: { idleWhenLocked: false },
      to: "in-use",
      recheckAt: now + 110_000,
    },
    {
      name: "locked or not: unknown",
      facts: { ...locked, locked: unknown },
      to: "in-use",
      recheckAt: now + 110_000,
    },
    {
      name: "locked, but its input is unknown",
      facts: { ...locked, idleSeconds: unknown },
      to: "idle-unknown",
    },
    {
      name: "the display off says nothing of input",
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
      name: "in use",
      facts: { idleSeconds: known(20) },
      rules,
      to: "within-limits",
      limits,
      recheckAt: now + 100_000,
    },
    { name: "perhaps in use", facts: { idleSeconds: unknown }, rules, to: "within-limits", limits },
    { name: "idle", rules, to: "idle" },
    {
      name: "in use and busy",
      facts: { idleSeconds: known(0), otherCpuLoad: known(0.7) },
      rules,
      to: "other-load",
    },
    {
      name: "in use and on a call",
      facts: { idleSeconds: known(0), cameraInUse: known(true) },
      rules,
      to: "in-call",
    },
    {
      name: "asked for everything",
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
      name: "somebody begins to type",
      rules,
      from: within,
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now },
      recheckAt: now + 2_000,
    },
    {
      name: "typed a second ago",
      rules,
      from: still(now - 3_000),
      to: "within-limits",
      facts: { idleSeconds: known(1) },
      limits: { ...limits, stillSince: now - 3_000 },
      recheckAt: now + 1_000,
    },
    {
      name: "has thought for two seconds",
      rules,
      from: still(now - 9_000),
      to: "within-limits",
      limits,
      facts: { idleSeconds: known(2) },
      recheckAt: now + 118_000,
    },
    {
      name: "goes on typing, almost too long",
      rules,
      from: still(now - 9_999),
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now - 9_999 },
      recheckAt: now + 1,
    },
    {
      name: "goes on typing, too long",
      rules,
      from: still(now - 10_000),
      to: "in-use",
      facts: { idleSeconds: known(0) },
      recheckAt: now + 10_000,
    },
    {
      name: "the clock was set back meanwhile",
      rules,
      from: still(now + 60_000),
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now },
      recheckAt: now + 2_000,
    },
    {
      name: "whether somebody types is no longer known",
      rules,
      from: still(now - 9_000),
      to: "within-limits",
      limits,
      facts: { idleSeconds: unknown },
    },
    {
      name: "typed nine seconds ago: not yet",
      rules,
      from: inUse,
      to: "in-use",
      facts: { idleSeconds: known(9) },
      recheckAt: now + 1_000,
    },
    {
      name: "typed ten seconds ago",
      rules,
      from: inUse,
      to: "within-limits",
      limits,
      facts: { idleSeconds: known(10) },
      recheckAt: now + 110_000,
    },
    {
      name: "comes back to an idle computer",
      rules,
      from: donating,
      to: "within-limits",
      facts: { idleSeconds: known(0) },
      limits: { ...limits, stillSince: now },
      recheckAt: now + 2_000,
    },
    {
      name: "has no model, whatever is typed",
      rules,
      from: holdingFor("no-model"),
      to: "no-model",
      facts: { idleSeconds: known(0), modelReady: false },
    },
    {
      name: "asked for everything, it does not stand still",
      rules,
      from: still(now - 9_000),
      to: "donate-now",
      facts: { idleSeconds: known(0), donateNowUntil: now + 5 },
      recheckAt: now + 5,
    },
  ]);

  it("widens its limits once it is idle", () => {
    const limited = decide(inUse, { ...away, idleSeconds: known(20) }, { ...defaultRules, ...rules }).next;
    const { next, effects } = decide(limited, away, { ...defaultRules, ...rules });
    expect(next).toEqual({ kind: "donating", reason: "idle", since: now, limits: idleLimits });
    expect(effects).toEqual([{ kind: "limit", limits: idleLimits }]);
  });
});

describe("donate-now where it is not allowed", () =>
  testEdges([
    {
      name: "in use",
      facts: { idleSeconds: known(20), donateNowUntil: now + 5 },
      rules: { allowDonateNow: false },
      to: "in-use",
      recheckAt: now + 100_000,
    },
    { name: "idle", facts: { donateNowUntil: now + 5 }, rules: { allowDonateNow: false }, to: "idle" },
  ]));

describe("finish, then pause", () => {
  const finishing = { ...away, finishThenPause: true };

  it("takes nothing more, once, and says what it does", () => {
    const first = decide(donating, finishing, defaultRules);
    expect(first.next).toEqual({ kind: "donating", reason: "finishing", since: now, limits: idleLimits });
    expect(first.effects).toEqual([{ kind: "finish" }]);
    expect(decide(first.next, finishing, defaultRules).effects).toEqual([]);
  });

  it("takes jobs again when the person changes their mind", () => {
    const first = decide(donating, finishing, defaultRules);
    expect(decide(first.next, away, defaultRules).effects).toEqual([{ kind: "accept", limits: idleLimits }]);
  });

  it("yields like ever when the person comes back", () => {
    const first = decide(donating, finishing, defaultRules);
    const back = decide(first.next, { ...finishing, idleSeconds: known(0) }, defaultRules);
    expect(back.effects).toEqual([{ kind: "yield", reason: "in-use" }]);
  });

  testEdges([
    { name: "nothing runs", facts: { finishThenPause: true }, from: inUse, to: "paused-by-you" },
    {
      name: "nothing runs, and something is against it",
      facts: { finishThenPause: true, idleSeconds: known(0) },
      from: holdingFor("offline"),
      to: "in-use",
      recheckAt: now + 120_000,
    },
  ]);
});
