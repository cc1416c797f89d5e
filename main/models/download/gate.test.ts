import { describe, expect, it } from "vitest";
import { type Facts, known, unknown } from "../../../app/facts/facts.ts";
import { idleFacts, roomyRules } from "../store.fixture.ts";
import { budgetSpent, networkHold } from "./gate.ts";

const hold = (facts: Partial<Facts>, rules: Partial<typeof roomyRules> = {}) =>
  networkHold({ ...idleFacts, ...facts }, { ...roomyRules, ...rules });

describe("the network of models", () => {
  it("may be used by default", () => {
    expect(hold({})).toBeNull();
    expect(hold({ metered: known(false), networks: known(["eth0"]) })).toBeNull();
    expect(hold({ metered: unknown })).toBeNull();
  });

  it.each<[string, Partial<Facts>]>([
    ["not-a-member", { membership: "none" }],
    ["not-a-member", { membership: "pending" }],
    ["not-a-member", { membership: "retired" }],
    ["paused", { pause: { until: null } }],
    ["paused", { pause: { until: 2 } }],
    ["offline", { connection: "offline" }],
    ["offline", { connection: "wrong-server" }],
    ["offline", { suspended: true }],
    ["metered", { metered: known(true) }],
    ["on-battery", { power: known("battery") }],
    ["on-battery", { power: unknown }],
    ["in-use", { idleSeconds: known(3) }],
    ["in-use", { idleSeconds: unknown }],
  ])("is held with reason %s at facts %j", (why, facts) => expect(hold(facts)).toBe(why));

  it("may be used if the rules allow more", () => {
    expect(hold({ pause: { until: 1 } })).toBeNull();
    expect(hold({ metered: known(true) }, { allowMetered: true })).toBeNull();
    const charged: Partial<Facts> = { power: known("battery"), batteryPercent: known(50) };
    expect(hold(charged, { allowOnBattery: true, batteryFloorPercent: 50 })).toBeNull();
    expect(hold(charged, { allowOnBattery: true, batteryFloorPercent: 51 })).toBe("on-battery");
    expect(hold({ ...charged, batteryPercent: unknown }, { allowOnBattery: true })).toBe("on-battery");
    expect(hold({ ...charged, power: unknown }, { allowOnBattery: true })).toBeNull();
    expect(hold({ idleSeconds: unknown }, { requireIdle: false })).toBeNull();
    const limited = { ...roomyRules.inUse, mode: "limited" as const };
    expect(hold({ idleSeconds: known(0) }, { inUse: limited })).toBeNull();
    expect(hold({ idleSeconds: known(0), donateNowUntil: 2 })).toBeNull();
    expect(hold({ idleSeconds: known(0), donateNowUntil: 2 }, { allowDonateNow: false })).toBe("in-use");
    expect(hold({ idleSeconds: known(11), locked: known(true) })).toBeNull();
    expect(hold({ idleSeconds: known(11), locked: known(true) }, { idleWhenLocked: false })).toBe("in-use");
  });

  it("may be used only if it is one of the required networks", () => {
    const rules = { requiredNetworks: ["Office", "corp.example"] };
    expect(hold({ networks: known(["wlan0", "OFFICE"]) }, rules)).toBeNull();
    expect(hold({ networks: known(["wlan0", "Office"]) }, { requiredNetworks: [" office "] })).toBeNull();
    expect(hold({ networks: known(["wlan0"]) }, rules)).toBe("other-network");
    expect(hold({ networks: unknown }, rules)).toBe("other-network");
  });
});

it("tells when the day's network budget is spent", () => {
  expect(budgetSpent(1e12, roomyRules)).toBe(false);
  expect(budgetSpent(2 ** 20 - 1, { ...roomyRules, networkBudgetMbPerDay: 1 })).toBe(false);
  expect(budgetSpent(2 ** 20, { ...roomyRules, networkBudgetMbPerDay: 1 })).toBe(true);
});
