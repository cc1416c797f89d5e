import { expect, it } from "vitest";
import { rolesOfGroups, ssoRefusalWords } from "./single-sign-on.ts";

const rules = [
  { group: "staff", roles: ["requester", "donor"] },
  { group: "it", roles: ["operator", "donor"] },
] as const;

it("adds up the roles of somebody's groups", () => {
  expect(rolesOfGroups(rules, ["it", "staff", "cooks"])).toEqual(["operator", "requester", "donor"]);
  expect(rolesOfGroups(rules, ["cooks"])).toEqual([]);
  expect(rolesOfGroups(rules, [])).toEqual([]);
});

it("reads Keycloak's paths as names", () => {
  expect(rolesOfGroups(rules, ["/staff"])).toEqual(["requester", "donor"]);
  expect(rolesOfGroups([{ group: "/staff", roles: ["donor"] }], ["staff"])).toEqual(["donor"]);
});

it("gives the roles of * to everybody", () => {
  expect(rolesOfGroups([{ group: "*", roles: ["donor"] }, ...rules], [])).toEqual(["donor"]);
});

it("has words for any reason", () => {
  expect(ssoRefusalWords("domain")).toMatch(/domain/);
  expect(ssoRefusalWords("toString")).toBe(ssoRefusalWords("provider"));
});
