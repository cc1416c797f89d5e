import { describe, expect, it } from "vitest";
import { known, unknown } from "../facts/facts.ts";
import { away, donating, type Edge, inUse, now, standbyFor, testEdges } from "./decide.fixture.ts";
import { decide } from "./decide.ts";
import { idleLimits } from "./limits.fixture.ts";
import { defaultRules } from "./rules.ts";

const forever = { until: null };

const edges: readonly Edge[] = [
  { when: "nobody is there and it has mains power", to: "idle" },
  { when: "the device is not enrolled", facts: { membership: "none" }, to: "not-enrolled" },
  {
    when: "the device is not enrolled and paused",
    facts: { membership: "none", pause: forever },
    to: "not-enrolled",
  },
  {
    when: "the device waits for approval",
    facts: { membership: "pending", donateNowUntil: now + 1 },
    to: "awaiting-approval",
    recheckAt: null,
  },
  {
    when: "the server paused the device",
    facts: { membership: "paused" },
    to: "paused-by-server",
    recheckAt: null,
  },
  {
    when: "a person paused the device in the console",
    facts: { membership: "paused-on-request", donateNowUntil: now + 1 },
    to: "paused-in-console",
    recheckAt: null,
  },
  { when: "the device is too old", facts: { membership: "outdated" }, to: "outdated", recheckAt: null },
  { when: "the device signs with another key", facts: { membership: "other-key" }, to: "other-key" },
  { when: "the device is retired", facts: { membership: "retired" }, to: "retired", recheckAt: null },
  {
    when: "the device is retired and paused",
    facts: { membership: "retired", pause: forever },
    to: "retired",
  },
  {
    when: "the device is retired, although its user asked to donate now",
    facts: { membership: "retired", donateNowUntil: now + 1 },
    to: "retired",
  },
  {
    when: "its user paused it until they resume",
    facts: { pause: forever },
    to: "paused-by-you",
    recheckAt: null,
  },
  {
    when: "its user paused it for a while",
    facts: { pause: { until: now + 9 } },
    to: "paused-by-you",
    recheckAt: now + 9,
  },
  { when: "a pause has just ended", facts: { pause: { until: now } }, to: "idle" },
  {
    when: "its user paused it and asked to donate now",
    facts: { pause: forever, donateNowUntil: now + 1 },
    to: "paused-by-you",
  },
  {
    when: "its user paused it and it is offline",
    facts: { pause: forever, connection: "offline" },
    to: "paused-by-you",
  },
  { when: "it is offline", facts: { connection: "offline" }, to: "offline" },
  {
    when: "another server is at the backend's address",
    facts: { connection: "wrong-server" },
    to: "wrong-server",
  },
  {
    when: "it is offline, although its user asked to donate now",
    facts: { connection: "offline", donateNowUntil: now + 1 },
    to: "offline",
  },
  { when: "it runs on battery", facts: { power: known("battery") }, to: "on-battery" },
  {
    when: "it runs on battery, although its user asked to donate now",
    facts: { power: known("battery"), donateNowUntil: now + 1 },
    to: "on-battery",
  },
  {
    when: "it runs on battery, which is allowed",
    facts: { power: known("battery") },
    rules: { allowOnBattery: true },
    to: "idle",
  },
  {
    when: "it runs on battery, which is allowed, exactly at the floor",
    facts: { power: known("battery"), batteryPercent: known(50) },
    rules: { allowOnBattery: true },
    to: "idle",
  },
  {
    when: "it runs on battery, which is allowed, below the floor",
    facts: { power: known("battery"), batteryPercent: known(49) },
    rules: { allowOnBattery: true },
    to: "battery-low",
  },
  {
    when: "the battery is below the floor, although its user asked to donate now",
    facts: { power: known("battery"), batteryPercent: known(49), donateNowUntil: now + 1 },
    rules: { allowOnBattery: true },
    to: "battery-low",
  },
  {
    when: "it runs on battery, which is allowed, and the charge is unknown",
    facts: { power: known("battery"), batteryPercent: unknown },
    rules: { allowOnBattery: true },
    to: "power-unknown",
  },
  { when: "a low battery charges on mains power", facts: { batteryPercent: known(3) }, to: "idle" },
  { when: "it has no battery", facts: { batteryPercent: unknown }, to: "idle" },
  { when: "the power is unknown", facts: { power: unknown }, to: "power-unknown" },
  {
    when: "the power is unknown, battery is allowed and the charge is above the floor",
    facts: { power: unknown },
    rules: { allowOnBattery: true },
    to: "idle",
  },
  {
    when: "others use more of the processor than allowed",
    facts: { otherCpuLoad: known(0.61) },
    to: "other-load",
  },
  {
    when: "others use exactly as much of the processor as allowed",
    facts: { otherCpuLoad: known(0.6) },
    to: "idle",
  },
  {
    when: "others use the processor within the margin and it was not busy before",
    facts: { otherCpuLoad: known(0.5) },
    from: inUse,
    to: "idle",
  },
  {
    when: "others use the processor within the margin and it was busy before",
    facts: { otherCpuLoad: known(0.5) },
    from: standbyFor("other-load"),
    to: "other-load",
  },
  {
    when: "others use less of the processor than the margin",
    facts: { otherCpuLoad: known(0.44) },
    from: standbyFor("other-load"),
    to: "idle",
  },
  {
    when: "the load of others is unknown",
    facts: { otherCpuLoad: unknown },
    from: standbyFor("other-load"),
    to: "idle",
  },
  {
    when: "others do not use the processor and the margin is wider than the limit",
    facts: { otherCpuLoad: known(0) },
    rules: { maxOtherCpuLoad: 0.1, otherCpuLoadHysteresis: 0.5 },
    from: standbyFor("other-load"),
    to: "idle",
  },
  {
    when: "others use all of the processor and its user asked to donate now",
    facts: { otherCpuLoad: known(1), donateNowUntil: now + 5 },
    to: "donate-now",
    recheckAt: now + 5,
  },
  {
    when: "the computer is in use",
    facts: { idleSeconds: known(20) },
    to: "in-use",
    recheckAt: now + 100_000,
  },
  {
    when: "the computer is almost idle",
    facts: { idleSeconds: known(119.999) },
    to: "in-use",
    recheckAt: now + 250,
  },
  { when: "the computer has been idle for just long enough", facts: { idleSeconds: known(120) }, to: "idle" },
  { when: "the idle time is unknown", facts: { idleSeconds: unknown }, to: "idle-unknown" },
  {
    when: "the idle time is unknown and not required",
    facts: { idleSeconds: unknown },
    rules: { requireIdle: false },
    to: "unattended",
  },
  {
    when: "the computer is in use and its user asked to donate now",
    facts: { idleSeconds: known(0), donateNowUntil: now + 5 },
    to: "donate-now",
    recheckAt: now + 5,
  },
  {
    when: "the computer is in use and a request to donate now has just ended",
    facts: { idleSeconds: known(0), donateNowUntil: now },
    to: "in-use",
    recheckAt: now + 120_000,
  },
  { when: "no model is here", facts: { modelReady: false }, to: "no-model" },
  {
    when: "no model is here and its user asked to donate now",
    facts: { modelReady: false, donateNowUntil: now + 5 },
    to: "no-model",
    recheckAt: now + 5,
  },
];

describe("decide: membership, power, load, idleness and model", () => testEdges(edges));

describe("decide", () => {
  it("changes only the reason when its user asks an idle computer to donate now", () => {
    const decision = decide(donating, { ...away, donateNowUntil: now + 60_000 }, defaultRules);
    expect(decision.next).toEqual({ kind: "donating", reason: "donate-now", since: now, limits: idleLimits });
    expect(decision.effects).toEqual([]);
  });
});
