import { expect, it } from "vitest";
import { operations } from "./operations.ts";
import { queryOf } from "./query.ts";

it("finds the parameters of each call", () => {
  for (const { method, path, query = [] } of operations) {
    expect(queryOf(method.toUpperCase(), path.replace("{id}", "x"))).toEqual(query);
  }
});

it.each([
  ["GET", "/v1/none"],
  ["GET", "/v1/jobs/"],
  ["DELETE", "/v1/jobs/x"],
  ["GET", "/v1/jobs/x/none"],
  ["GET", "/v1/jobs/x/y/result"],
])("has no parameters of %s %s, which is no call", (method, path) => {
  expect(queryOf(method, path)).toBeNull();
});

it("knows models whose ids have slashes", () => {
  expect(queryOf("GET", "/v1/models/organization/model")).toEqual(queryOf("GET", "/v1/models/x"));
});
