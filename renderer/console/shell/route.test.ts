import { expect, it } from "vitest";
import { hrefOf, routeOf } from "./route.ts";

const read = (hash: string) => {
  const { page, id, filters } = routeOf(hash);
  return [page, id, Object.fromEntries(filters)];
};

it("reads a page, a thing on it, and filters from an address", () => {
  expect(read("#/devices")).toEqual(["devices", null, {}]);
  expect(read("#/devices/d%2F1")).toEqual(["devices", "d/1", {}]);
  expect(read("#/jobs?status=failed&q=a%20b")).toEqual(["jobs", null, { status: "failed", q: "a b" }]);
});

it("knows no page for addresses from elsewhere", () => {
  for (const hash of ["", "#", "#/", "#/nowhere", "#/nowhere/x", "#signin=secret", "#/%E0%A4%A"]) {
    expect(routeOf(hash).page).toBeNull();
    expect(routeOf(hash).id).toBeNull();
  }
});

it("writes addresses that it reads back", () => {
  expect(hrefOf("devices")).toBe("#/devices");
  expect(hrefOf("jobs", undefined, { status: "failed", q: "" })).toBe("#/jobs?status=failed");
  expect(read(hrefOf("jobs", "a/b ?", { q: "x=y&z" }))).toEqual(["jobs", "a/b ?", { q: "x=y&z" }]);
});
