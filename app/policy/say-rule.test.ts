import { expect, it } from "vitest";
import { defaultRules, type RuleName, ruleNames, ruleOf } from "./rules.ts";
import { ruleChanges, sayRule } from "./say-rule.ts";

it("has words for every rule and every default", () => {
  for (const name of ruleNames) expect(ruleOf(name).title).not.toBe("");
  const said = Object.fromEntries(ruleNames.map((name) => [name, sayRule(name, defaultRules[name])]));
  expect(said).toMatchObject({
    requireIdle: "yes",
    idleAfterSeconds: "2 minutes",
    inUse: "nothing",
    idle: "all cores but one, GPU, all free memory",
    schedule: "at any hour",
    maxOtherCpuLoad: "60%",
    diskQuotaMb: "20 GiB",
    downloadKbps: "no limit",
    requiredNetworks: "any",
    modelWarmSeconds: "not at all",
  });
});

it("spells limits, schedules, lists and numbers with their units", () => {
  expect(sayRule("inUse", { mode: "limited", threads: 1, gpu: false, memoryMb: 1_500 })).toBe(
    "1 thread, no GPU, 1,500 MiB of memory",
  );
  const night = { days: [0, 4], fromMinute: 1_140, toMinute: 425 };
  expect(sayRule("schedule", [night, { days: [0, 1, 2, 3, 4, 5, 6], fromMinute: 0, toMinute: 60 }])).toBe(
    "Mon Fri 19:00–07:05, daily 00:00–01:00",
  );
  expect(sayRule("schedule", [{ days: [5, 6], fromMinute: 0, toMinute: 0 }])).toBe("Sat Sun all day");
  expect(sayRule("schedule", [])).toBe("never");
  expect(
    sayRule("gpus", [
      { index: 0, allow: true },
      { index: 1, allow: false },
    ]),
  ).toBe("1");
  expect(sayRule("downloadKbps", 12_000)).toBe("12,000 kbit/s");
  expect(sayRule("idleAfterSeconds", 90)).toBe("1 minute, 30 seconds");
});

it("lists each rule whose value or lock changed, and no other", () => {
  const before = { values: { idleAfterSeconds: 120 }, locked: [] as RuleName[] };
  expect(ruleChanges(before, before)).toEqual([]);
  expect(ruleChanges(before, { values: { idleAfterSeconds: 300 }, locked: ["idleAfterSeconds"] })).toEqual([
    "Idle after: 2 minutes → 5 minutes, locked",
  ]);
  expect(ruleChanges(before, { values: {}, locked: ["quiet"] })).toEqual([
    "Idle after: 2 minutes → not set",
    "Quiet: not set → not set, locked",
  ]);
});
