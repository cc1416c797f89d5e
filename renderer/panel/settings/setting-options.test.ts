import { expect, it } from "vitest";
import { someRules } from "../../../app/policy/rule-schemas.ts";
import { defaultRules, ruleNames } from "../../../app/policy/rules.ts";
import { chosen, hasChoices, optionsFor, settingWords } from "./setting-options.ts";

it("inserts a value that is not among the choices in its order", () => {
  const labels = optionsFor("idleAfterSeconds", 90).map(({ label }) => label);
  expect(labels.slice(0, 4)).toEqual(["30 seconds", "1 minute", "1 minute, 30 seconds", "2 minutes"]);
  expect(
    optionsFor("maxTemperatureC", 99)
      .map(({ label }) => label)
      .slice(-2),
  ).toEqual(["99 °C", "no limit"]);
});

it("names memory and disk in the units of the facts", () => {
  expect(optionsFor("diskQuotaMb", 20_480).map(({ label }) => label)).toEqual([
    "5 GB",
    "10 GB",
    "21.5 GB",
    "50 GB",
    "100 GB",
    "200 GB",
  ]);
  const inUse = { mode: "limited", threads: 2, gpu: false, memoryMb: 2_048 } as const;
  expect(settingWords("inUse", inUse)).toBe("2 processor cores, no graphics card, 2.1 GB of memory");
  expect(settingWords("inUse", { ...inUse, mode: "off" })).toBe("nothing");
  expect(settingWords("idle", defaultRules.idle)).toMatch(
    /^all processor cores but one, the graphics card, /,
  );
});

it("offers only valid values, including the default", () => {
  for (const name of ruleNames.filter(hasChoices)) {
    const options = optionsFor(name, defaultRules[name]);
    const values = options.map(({ value }) => chosen(value));
    expect(values).toContain(defaultRules[name]);
    for (const value of values) expect(someRules.safeParse({ [name]: value }).success).toBe(true);
  }
});
