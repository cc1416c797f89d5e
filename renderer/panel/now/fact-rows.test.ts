import { expect, it } from "vitest";
import { factNames, known, sayFact, unknownComputer } from "../../../app/facts/facts.ts";
import { defaultRules } from "../../../app/policy/rules.ts";
import { factRows } from "./fact-rows.ts";

it("shows an unknown fact as unknown", () => {
  for (const row of factRows(unknownComputer, defaultRules)) {
    expect(row).toMatchObject({ value: "unknown", known: false });
  }
  for (const name of factNames) expect(sayFact(name, unknownComputer[name])).toMatch(/^unknown/);
  expect(sayFact("metered", unknownComputer.metered)).toBe("unknown: counts as not metered");
});

it("shows each fact with its rule", () => {
  const facts = {
    ...unknownComputer,
    idleSeconds: known(154.6),
    power: known("battery" as const),
    batteryPercent: known(81.4),
    otherCpuLoad: known(0.127),
    temperatureC: known(54.4),
    memoryFreeMb: known(6_000),
  };
  expect(factRows(facts, { ...defaultRules, allowOnBattery: true })).toEqual([
    { label: "Last input", value: "2m 34s ago", known: true, rule: "idle after 2 minutes" },
    { label: "Power", value: "battery", known: true, rule: "battery is fine" },
    { label: "Battery", value: "81%", known: true, rule: "at least 50%" },
    { label: "Other programs", value: "13% of the processor", known: true, rule: "at most 60%" },
    { label: "Temperature", value: "54 °C", known: true, rule: "at most 85 °C" },
    { label: "Free memory", value: "6.3 GB", known: true, rule: "at least 537 MB" },
  ]);
  expect(factRows(facts, { ...defaultRules, requireIdle: false })[0]?.rule).toBe("not required");
});
