import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { effectiveRules, noOrganizationRules } from "./rule-layers.ts";
import { someRules } from "./rule-schemas.ts";
import { defaultRules as base, overridableRules, ruleNames } from "./rules.ts";

describe("effectiveRules", () => {
  it("takes the defaults if neither the donor nor the organization sets a rule", () => {
    const { rules, from, locked } = effectiveRules({ base, donor: {}, organization: noOrganizationRules });
    expect(rules).toEqual(base);
    expect(new Set(Object.values(from))).toEqual(new Set(["default"]));
    expect(locked).toEqual([]);
  });

  it("puts the donor's choice before the organization's suggestion, and that before the default", () => {
    const { rules, from } = effectiveRules({
      base,
      donor: { quiet: true, maxTemperatureC: null },
      organization: { values: { quiet: false, allowMetered: true, maxTemperatureC: 70 }, locked: [] },
    });
    expect(rules).toEqual({ ...base, quiet: true, allowMetered: true, maxTemperatureC: null });
    expect(from).toMatchObject({ quiet: "donor", allowMetered: "organization", maxTemperatureC: "donor" });
  });

  it("puts a managed rule before all others, and locks it", () => {
    const { rules, from, locked } = effectiveRules({
      base,
      donor: { quiet: false, allowOnBattery: true },
      organization: { values: { quiet: false, maxTemperatureC: 60 }, locked: ["quiet", "maxTemperatureC"] },
      managed: { values: { quiet: true, allowOnBattery: false }, locked: ["quiet", "allowOnBattery"] },
    });
    expect(rules).toMatchObject({ quiet: true, allowOnBattery: false, maxTemperatureC: 60 });
    expect(from).toMatchObject({
      quiet: "managed",
      allowOnBattery: "managed",
      maxTemperatureC: "organization",
    });
    expect(locked).toEqual(expect.arrayContaining(["quiet", "allowOnBattery", "maxTemperatureC"]));
  });

  it("lets no managed lock be undone by “donate now”", () => {
    const managed = { values: { requireIdle: true }, locked: ["requireIdle"] } as const;
    const allowing = { values: { allowDonateNow: true }, locked: [] };
    for (const organization of [noOrganizationRules, allowing]) {
      const { rules, from } = effectiveRules({ base, donor: {}, organization, managed });
      expect(rules.allowDonateNow).toBe(false);
      expect(from.allowDonateNow).toBe("managed");
    }
  });

  it("keeps a locked rule whatever the donor chose, also without a value", () => {
    const { rules, from, locked } = effectiveRules({
      base,
      donor: { allowOnBattery: true, quiet: false, schedule: null },
      organization: {
        values: { quiet: true, schedule: [] },
        locked: ["schedule", "quiet", "allowOnBattery"],
      },
    });
    expect(rules).toMatchObject({ quiet: true, allowOnBattery: false, schedule: [] });
    expect(from).toMatchObject({ quiet: "organization", allowOnBattery: "organization" });
    expect(locked).toEqual(expect.arrayContaining(["schedule", "quiet", "allowOnBattery"]));
  });

  it("keeps a locked rule without a value at the program's default, however the donor was started", () => {
    const unattended = { ...base, requireIdle: false };
    const organization = { values: {}, locked: ["requireIdle"] } as const;
    expect(effectiveRules({ base: unattended, donor: {}, organization })).toMatchObject({
      rules: { requireIdle: true },
      from: { requireIdle: "organization" },
    });
    const open = effectiveRules({ base: unattended, donor: {}, organization: noOrganizationRules });
    expect(open.rules.requireIdle).toBe(false);
  });

  it("forbids donate-now if it would undo a lock, unless the organization allows it", () => {
    const donor = { allowDonateNow: true };
    const organization = { values: { idleAfterSeconds: 600 }, locked: ["idleAfterSeconds"] } as const;
    const strict = effectiveRules({ base, donor, organization });
    expect(strict.rules.allowDonateNow).toBe(false);
    expect(strict.from.allowDonateNow).toBe("organization");
    expect(strict.locked).toContain("allowDonateNow");
    const lenient = { ...organization, values: { ...organization.values, allowDonateNow: true } };
    expect(effectiveRules({ base, donor, organization: lenient }).rules.allowDonateNow).toBe(true);
    const other = { values: {}, locked: ["allowOnBattery"] } as const;
    expect(effectiveRules({ base, donor: {}, organization: other }).rules.allowDonateNow).toBe(true);
  });
});

/** Some of the rules, each with a value that is not its default. */
const some = fc.subarray([...ruleNames]).map((names) => {
  const changed = names.map((name) => {
    const value: unknown = base[name];
    if (typeof value === "boolean") return [name, !value];
    if (typeof value === "number") return [name, value > 1 ? value + 1 : value === 0 ? 5 : value / 2];
    return [name, Array.isArray(value) || value === null ? [] : value];
  });
  return someRules.parse({
    ...Object.fromEntries(changed),
    ...(names.includes("maxTemperatureC") ? { maxTemperatureC: 60 } : {}),
    ...(names.includes("downloadKbps") ? { downloadKbps: 99 } : {}),
    ...(names.includes("networkBudgetMbPerDay") ? { networkBudgetMbPerDay: 99 } : {}),
  });
});

it("lets donate-now override the rules about idleness, hours, presence and load", () => {
  expect([...overridableRules].sort()).toEqual([
    "holdOnCall",
    "holdOnFullScreen",
    "holdOnMedia",
    "idleAfterSeconds",
    "idleWhenLocked",
    "inUse",
    "maxOtherCpuLoad",
    "requireIdle",
    "schedule",
  ]);
});

it("never lets a donor change a locked rule", () => {
  fc.assert(
    fc.property(some, some, some, fc.subarray([...ruleNames]), (donor, other, values, locked) => {
      const organization = { values, locked };
      const one = effectiveRules({ base, donor, organization });
      const two = effectiveRules({ base, donor: other, organization });
      for (const name of one.locked) expect(one.rules[name]).toEqual(two.rules[name]);
    }),
  );
});
