import { expect, it } from "vitest";
import { auditRow } from "../../gallery/fixtures/console-rows.ts";
import { actionOptions, listArgsOf, noFilters, whoOptions } from "./audit-filter.ts";

it("asks for everything without filters, and with ones that mean nothing", () => {
  expect(listArgsOf(noFilters)).toEqual({});
  expect(listArgsOf({ ...noFilters, action: "weather", from: "yesterday" })).toEqual({});
});

it("includes the last day", () => {
  const { from = 0, to = 0 } = listArgsOf({ ...noFilters, from: "2026-11-25", to: "2026-11-25" });
  expect(new Date(from).getDate()).toBe(25);
  expect(new Date(to).getDate()).toBe(26);
  expect(new Date(to).getHours()).toBe(0);
});

it("asks for a person, a subject, and an action or a group of actions", () => {
  const texts = { ...noFilters, who: "m1", subject: "k1" };
  expect(listArgsOf({ ...texts, action: "keys" })).toEqual({ who: "m1", group: "keys", subject: "k1" });
  expect(listArgsOf({ ...texts, action: "device.retired" })).toEqual({
    who: "m1",
    action: "device.retired",
    subject: "k1",
  });
});

it("offers each action once, in its group", () => {
  const values = actionOptions.map(({ value }) => value);
  expect(new Set(values).size).toBe(values.length);
  expect(actionOptions).toContainEqual({
    value: "member.sign-in-refused",
    label: "Sign-in of a member refused",
    group: "Refusals",
  });
});

it("names a chosen API key by a row of it", () => {
  const row = auditRow(0)(1, "api-key", "job.canceled", { keyId: "k1", by: "nightly batch" });
  expect(whoOptions("k1", [], [row])).toContainEqual({
    value: "k1",
    label: "nightly batch",
    group: "Chosen",
  });
  expect(whoOptions("setup", [], []).filter(({ value }) => value === "setup")).toHaveLength(1);
});
