import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tablesIn, wantedTables, withFieldTables } from "../../app/openapi/field-table.ts";
import { operations } from "../../app/openapi/operations.ts";

const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

it("docs/api.md has the tables of all requests, as app/fields has them", () => {
  expect(tablesIn(page).toSorted()).toEqual([...wantedTables].toSorted());
  expect(page === withFieldTables(page), "docs/api.md is out of date: npm run api-page").toBe(true);
});

/** The calls that the page's first table names. "…/result" stands for the path before it, with an id. */
function namedCalls(): readonly string[] {
  const [table = ""] = /\| call \| answer \|\n[^]*?\n\n/.exec(page) ?? [];
  return table.split("\n").flatMap((row) => {
    const [, cell = ""] = row.split("|");
    let [method, base] = ["", ""];
    return [...cell.matchAll(/`(?:([A-Z]+) )?(\/v1\/[^`]*|…[^`]*)`/g)].map(([, named, path = ""]) => {
      method = named ?? method;
      if (!path.startsWith("…")) {
        base = path;
        return `${method} ${path}`;
      }
      const withId = base.includes("{id}") ? base : `${base}/{id}`;
      return `${method} ${withId}${path.slice(1)}`;
    });
  });
}

it("docs/api.md names exactly the calls of the OpenAPI document", () => {
  const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(namedCalls().toSorted()).toEqual(described.toSorted());
});
