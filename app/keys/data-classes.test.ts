import { describe, expect, it } from "vitest";
import { chooseClass, type DataClass, type Lookers, mayLookAt } from "./data-classes.ts";

const rules = (name: string, lookers: Lookers = "owners"): DataClass => ({
  name,
  groups: [],
  keptHours: 24,
  lookers,
});
const classes = ["public", "internal", "restricted"].map((name) => rules(name));

describe("the class of a request", () => {
  const key = { usual: "internal", highest: "restricted" };

  it.each([
    ["none that it names", key, undefined, "internal"],
    ["its key's own", key, "internal", "internal"],
    ["a more sensitive one", key, "restricted", "restricted"],
    ["the highest of a key without a usual one", { highest: "internal" }, "internal", "internal"],
    ["a lower one of such a key", { highest: "internal" }, "public", "public"],
    ["any, with a key without classes", {}, "medical", "medical"],
    ["none, with a key without classes", {}, undefined, undefined],
  ])("may be %s", (_what, of, asked, name) => {
    expect(chooseClass(classes, of, asked)).toEqual({ kind: "ok", name });
  });

  it.each([
    ["less sensitive than its key's", key, "public"],
    ["unknown", key, "medical"],
    ["above its key's highest", { usual: "public", highest: "internal" }, "restricted"],
    ["another than the only one of its key", { usual: "internal" }, "restricted"],
    ["above the highest of a key without a usual one", { highest: "internal" }, "restricted"],
    ["any, if its key's class has no rules", { usual: "medical", highest: "restricted" }, "restricted"],
  ])("may not be %s", (_what, of, asked) => {
    expect(chooseClass(classes, of, asked)).toMatchObject({ kind: "refused" });
  });
});

it.each([
  ["requester", ["owner", "admin"], false],
  ["owners", ["owner"], true],
  ["owners", ["admin"], false],
  ["managers", ["admin"], true],
  ["managers", ["operator", "auditor", "requester"], false],
] as const)("colleagues look at a class for %s as %j: %s", (lookers, roles, may) => {
  expect(mayLookAt(rules("internal", lookers), roles)).toBe(may);
});
