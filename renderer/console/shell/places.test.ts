import { expect, it } from "vitest";
import { pages } from "./pages.ts";
import { grouped, places, titleOf } from "./places.ts";

it("shows each page but the account in one group, and no empty group", () => {
  const shown = grouped(pages).flatMap((group) => group.pages);
  const expected = pages.map(({ id }) => id).filter((id) => id !== "account");
  expect(shown.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  expect(grouped(pages.filter(({ id }) => id === "jobs")).map(({ group }) => group)).toEqual(["Work"]);
});

it("has a different shortcut for each page", () => {
  const keys = Object.values(places).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((key) => /^[a-z]$/.test(key))).toBe(true);
});

it("names the page first in the title, and leaves out an unknown organization", () => {
  expect(titleOf("Devices", "Acme")).toBe("Devices · Acme · Gleaner");
  expect(titleOf("Devices", null)).toBe("Devices · Gleaner");
});
