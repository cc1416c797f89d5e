import { expect, it } from "vitest";
import { readOrganizationRules } from "./rule-schemas.ts";

it("takes the rules that it knows and whose values are within bounds", () => {
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

it("keeps a lock whose value it cannot read, and drops one of a rule that it does not know", () => {
  const stored = { values: { quiet: 1 }, locked: ["fromTomorrow", "quiet"] };
  expect(readOrganizationRules(stored)).toEqual({ values: {}, locked: ["quiet"] });
});
