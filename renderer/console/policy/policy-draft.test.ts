import { describe, expect, it } from "vitest";
import { noOrganizationRules, type OrganizationRules } from "../../../app/policy/rule-layers.ts";
import { defaultRules, ruleNames } from "../../../app/policy/rules.ts";
import { problemOf } from "../../rules/rule-problems.ts";
import {
  changesOf,
  problemsOf,
  rulesOnDevice,
  shownRule,
  withLock,
  without,
  withValue,
} from "./policy-draft.ts";

const nothing = noOrganizationRules;
const organization: OrganizationRules = {
  values: { idleAfterSeconds: 300, maxTemperatureC: null },
  locked: ["idleAfterSeconds"],
};

describe("the organization's rules", () => {
  it("default until somebody sets them", () => {
    expect(shownRule(nothing, nothing, "idleAfterSeconds")).toEqual({
      value: 120,
      inheritedValue: 120,
      locked: false,
      isSet: false,
      isSuggested: false,
    });
    const draft = withValue(nothing, "idleAfterSeconds", 60, nothing);
    expect(shownRule(draft, nothing, "idleAfterSeconds")).toMatchObject({ value: 60, isSet: true });
    expect(without(draft, "idleAfterSeconds")).toEqual(nothing);
  });

  it("are locked at the value that is shown", () => {
    const draft = withLock(nothing, "quiet", true, nothing);
    expect(draft).toEqual({ values: { quiet: false }, locked: ["quiet"] });
    expect(withLock(draft, "quiet", false, nothing)).toEqual({ values: { quiet: false }, locked: [] });
  });
});

describe("a group's rules", () => {
  it("inherit the organization's values and locks until somebody sets them", () => {
    expect(shownRule(nothing, organization, "idleAfterSeconds")).toMatchObject({
      value: 300,
      locked: true,
      isSet: false,
      isSuggested: true,
    });
    expect(shownRule(nothing, organization, "maxTemperatureC").value).toBeNull();
  });

  it("keep the organization's lock when a value changes, and can remove it", () => {
    const draft = withValue(nothing, "idleAfterSeconds", 60, organization);
    expect(draft.locked).toEqual(["idleAfterSeconds"]);
    const open = withLock(draft, "idleAfterSeconds", false, organization);
    expect(shownRule(open, organization, "idleAfterSeconds")).toMatchObject({ value: 60, locked: false });
    expect(withLock(nothing, "idleAfterSeconds", false, organization)).toEqual({
      values: { idleAfterSeconds: 300 },
      locked: [],
    });
  });
});

it("names the bounds of an invalid value in the unit that is shown", () => {
  expect(problemOf("idleAfterSeconds", 5)).toBe("Must be a whole number from 10 to 86,400.");
  expect(problemOf("maxOtherCpuLoad", 2)).toBe("Must be a number from 5 to 100.");
  expect(problemOf("maxTemperatureC", Number.NaN)).toBe("Must be a whole number from 40 to 110.");
  expect(problemOf("maxTemperatureC", null)).toBeNull();
  const wrong = { values: { quiet: true, batteryFloorPercent: Number.NaN }, locked: [] };
  expect([...problemsOf(wrong).keys()]).toEqual(["batteryFloorPercent"]);
});

it("accepts the default of every rule", () => {
  for (const name of ruleNames) expect(problemOf(name, defaultRules[name])).toBeNull();
});

it("lists the changes to save, including invalid values", () => {
  expect(changesOf(organization, organization)).toEqual([]);
  expect(changesOf(organization, withLock(organization, "idleAfterSeconds", false, nothing))).toEqual([
    "Idle after: 5 minutes, locked → 5 minutes",
  ]);
  expect(changesOf(nothing, withValue(nothing, "batteryFloorPercent", Number.NaN, nothing))).toHaveLength(1);
});

it("locks “donate now” on devices if it would override a locked rule", () => {
  const draft = withLock(nothing, "idleAfterSeconds", true, nothing);
  const applied = rulesOnDevice(draft, nothing);
  expect(applied.rules.allowDonateNow).toBe(false);
  expect(applied.locked).toEqual(["idleAfterSeconds", "allowDonateNow"]);
  const open = withLock(nothing, "idleAfterSeconds", false, organization);
  expect(rulesOnDevice(open, organization).locked).toEqual([]);
});
