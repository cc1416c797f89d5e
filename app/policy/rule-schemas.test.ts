import { expect, it } from "vitest";
import { readOrganizationRules } from "./rule-schemas.ts";

it("reads only known rules with values within their bounds", () => {
  const values = {
    idleAfterSeconds: 300,
    schedule: null,
    quiet: "yes",
    batteryFloorPercent: 101,
    fromTomorrow: 1,
  };
  expect(readOrganizationRules({ values, locked: [] })).toEqual({
    values: { idleAfterSeconds: 300, schedule: null },
    locked: [],
  });
});

it("keeps a lock with an unreadable value, and drops the lock of an unknown rule", () => {
  const stored = { values: { quiet: 1 }, locked: ["fromTomorrow", "quiet"] };
  expect(readOrganizationRules(stored)).toEqual({ values: {}, locked: ["quiet"] });
});
