import { describe, expect, it } from "vitest";
import { known, unknown } from "../facts/facts.ts";
import { away, donating, type Edge, holdingFor, inUse, now, testEdges } from "./decide.fixture.ts";
import { decide } from "./decide.ts";
import { idleLimits } from "./limits.fixture.ts";
import { defaultRules } from "./rules.ts";

const forever = { until: null };

const edges: readonly Edge[] = [
  { name: "away on mains power", to: "idle" },
  { name: "not enrolled", facts: { membership: "none" }, to: "not-enrolled" },
  {
    name: "not enrolled outranks a pause",
    facts: { membership: "none", pause: forever },
    to: "not-enrolled",
  },
  { name: "retired", facts: { membership: "retired" }, to: "retired", recheckAt: null },
  { name: "retired outranks a pause", facts: { membership: "retired", pause: forever }, to: "retired" },
  {
    name: "donate-now cannot help a retired device",
    facts: { membership: "retired", donateNowUntil: now + 1 },
    to: "retired",
  },
  { name: "paused for good", facts: { pause: forever }, to: "paused-by-you", recheckAt: null },
  {
    name: "paused for a while",
    facts: { pause: { until: now + 9 } },
    to: "paused-by-you",
    recheckAt: now + 9,
  },
  { name: "a pause that just ended", facts: { pause: { until: now } }, to: "idle" },
  {
    name: "a pause outranks donate-now",
    facts: { pause: forever, donateNowUntil: now + 1 },
    to: "paused-by-you",
  },
  {
    name: "a pause outranks being offline",
    facts: { pause: forever, connection: "offline" },
    to: "paused-by-you",
  },
  { name: "offline", facts: { connection: "offline" }, to: "offline" },
  {
    name: "donate-now cannot help offline",
    facts: { connection: "offline", donateNowUntil: now + 1 },
    to: "offline",
  },
  { name: "on battery", facts: { power: known("battery") }, to: "on-battery" },
  {
    name: "donate-now spends no forbidden battery",
    facts: { power: known("battery"), donateNowUntil: now + 1 },
    to: "on-battery",
  },
  {
    name: "battery allowed, full",
    facts: { power: known("battery") },
    rules: { allowOnBattery: true },
    to: "idle",
  },
  {
    name: "battery allowed, exactly at the floor",
    facts: { power: known("battery"), batteryPercent: known(50) },
    rules: { allowOnBattery: true },
    to: "idle",
  },
  {
    name: "battery allowed, below the floor",
    facts: { power: known("battery"), batteryPercent: known(49) },
    rules: { allowOnBattery: true },
    to: "battery-low",
  },
  {
    name: "donate-now keeps the floor",
    facts: { power: known("battery"), batteryPercent: known(49), donateNowUntil: now + 1 },
    rules: { allowOnBattery: true },
    to: "battery-low",
  },
  {
    name: "battery allowed, level unknown",
    facts: { power: known("battery"), batteryPercent: unknown },
    rules: { allowOnBattery: true },
    to: "power-unknown",
  },
  { name: "a low battery on mains power is charging", facts: { batteryPercent: known(3) }, to: "idle" },
  { name: "a desktop has no battery", facts: { batteryPercent: unknown }, to: "idle" },
  { name: "power unknown", facts: { power: unknown }, to: "power-unknown" },
  {
    name: "power unknown, but the floor is kept",
    facts: { power: unknown },
    rules: { allowOnBattery: true },
    to: "idle",
  },
  { name: "others need the processor", facts: { otherCpuLoad: known(0.61) }, to: "other-load" },
  { name: "load exactly at the limit", facts: { otherCpuLoad: known(0.6) }, to: "idle" },
  {
    name: "load between the limits, not held for it before",
    facts: { otherCpuLoad: known(0.5) },
    from: inUse,
    to: "idle",
  },
  {
    name: "load between the limits, held for it before",
    facts: { otherCpuLoad: known(0.5) },
    from: holdingFor("other-load"),
    to: "other-load",
  },
  {
    name: "load below the lower limit",
    facts: { otherCpuLoad: known(0.44) },
    from: holdingFor("other-load"),
    to: "idle",
  },
  { name: "load unknown", facts: { otherCpuLoad: unknown }, from: holdingFor("other-load"), to: "idle" },
  {
    name: "a hysteresis wider than the limit still lets go at no load",
    facts: { otherCpuLoad: known(0) },
    rules: { maxOtherCpuLoad: 0.1, otherCpuLoadHysteresis: 0.5 },
    from: holdingFor("other-load"),
    to: "idle",
  },
  {
    name: "donate-now ignores the load",
    facts: { otherCpuLoad: known(1), donateNowUntil: now + 5 },
    to: "donate-now",
    recheckAt: now + 5,
  },
  { name: "in use", facts: { idleSeconds: known(20) }, to: "in-use", recheckAt: now + 100_000 },
  { name: "almost idle", facts: { idleSeconds: known(119.999) }, to: "in-use", recheckAt: now + 250 },
  { name: "idle for just long enough", facts: { idleSeconds: known(120) }, to: "idle" },
  { name: "idleness unknown", facts: { idleSeconds: unknown }, to: "idle-unknown" },
  {
    name: "unattended asks for no idleness",
    facts: { idleSeconds: unknown },
    rules: { requireIdle: false },
    to: "unattended",
  },
  {
    name: "donate-now while in use",
    facts: { idleSeconds: known(0), donateNowUntil: now + 5 },
    to: "donate-now",
    recheckAt: now + 5,
  },
  {
    name: "donate-now that just ended",
    facts: { idleSeconds: known(0), donateNowUntil: now },
    to: "in-use",
    recheckAt: now + 120_000,
  },
  { name: "no model", facts: { modelReady: false }, to: "no-model" },
  {
    name: "no model for donate-now",
    facts: { modelReady: false, donateNowUntil: now + 5 },
    to: "no-model",
    recheckAt: now + 5,
  },
];

describe("decide: standing, power, load, idleness and model", () => testEdges(edges));

describe("decide", () => {
  it("changes the reason for donating without an effect", () => {
    const decision = decide(donating, { ...away, donateNowUntil: now + 60_000 }, defaultRules);
    expect(decision.next).toEqual({ kind: "donating", reason: "donate-now", since: now, limits: idleLimits });
    expect(decision.effects).toEqual([]);
  });
});
