import { expect, it } from "vitest";
import { roles } from "../../../app/people/roles.ts";
import { firstPage, pagesFor } from "./pages.ts";

it("shows members their own pages first, and others the overview", () => {
  const firsts = roles.map((role) => [role, firstPage(pagesFor([role]))]);
  expect(Object.fromEntries(firsts)).toEqual({
    owner: "overview",
    admin: "overview",
    operator: "overview",
    requester: "keys",
    donor: "devices",
    auditor: "overview",
  });
});

it("names pages by what they show", () => {
  const labels = (...held: Parameters<typeof pagesFor>[0]) => pagesFor(held).map(({ label }) => label);
  expect(labels("donor")).toEqual(["My devices", "My earnings", "My credits", "Account"]);
  expect(labels("requester")).toEqual([
    "Models",
    "Playground",
    "My jobs",
    "My batches",
    "My usage",
    "My credits",
    "My keys",
    "Account",
  ]);
  expect(labels("donor", "auditor")).toContain("Devices");
});
