import { expect, it } from "vitest";
import { known, unknown } from "../../../app/policy/facts.ts";
import { defaultRules } from "../../../app/policy/rules.ts";
import { factRows } from "./fact-rows.ts";

it("shows what is unknown as unknown", () => {
  const rows = factRows(
    { idleSeconds: unknown, power: unknown, batteryPercent: unknown, otherCpuLoad: unknown },
    defaultRules,
  );
  expect(rows.map((row) => row.value)).toEqual(["unknown", "unknown", "unknown", "unknown"]);
});

it("stands each fact beside the rule that it is held against", () => {
  const facts = {
    idleSeconds: known(154.6),
    power: known("battery" as const),
    batteryPercent: known(81.4),
    otherCpuLoad: known(0.127),
  };
  expect(factRows(facts, { ...defaultRules, allowOnBattery: true })).toEqual([
    { label: "Last input", value: "2 min 34 s ago", rule: "idle after 2 min" },
    { label: "Power", value: "battery", rule: "battery is fine" },
    { label: "Battery", value: "81 %", rule: "at least 50 %" },
    { label: "Other programs", value: "13 % of CPU", rule: "at most 60 %" },
  ]);
  expect(factRows(facts, { ...defaultRules, requireIdle: false })[0]?.rule).toBe("not asked for");
});
