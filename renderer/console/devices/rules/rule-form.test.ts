import { expect, it } from "vitest";
import { draftOf, formOf } from "./rule-form.ts";

const empty = formOf({ group: "", filter: {} });

it("turns a form into a rule, without empty conditions", () => {
  expect(draftOf({ ...empty, group: " Lab ", named: "lab ", memoryGb: "16", gpu: "any" })).toEqual({
    group: "Lab",
    filter: { named: "lab", memoryGb: 16, gpu: "any" },
  });
});

it("says what a form lacks", () => {
  expect(draftOf(empty)).toEqual({ error: "Name the group." });
  expect(draftOf({ ...empty, group: "Lab" })).toEqual({ error: "Choose at least one condition." });
  expect(draftOf({ ...empty, group: "Lab", memoryGb: "much" })).toHaveProperty("error");
});

it("shows a stored rule as it is", () => {
  const rule = { group: "Lab", filter: { platform: "win32", fromVersion: "0.3.0", memoryGb: 32, tag: "x" } };
  expect(draftOf(formOf(rule))).toEqual(rule);
});
