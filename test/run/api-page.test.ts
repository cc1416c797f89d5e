import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tablesIn, wantedTables, withFieldTables } from "../../app/openapi/field-table.ts";
import { operations } from "../../app/openapi/operations.ts";

const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

it("docs/api.md has the tables of all requests, as app/fields has them", () => {
  expect(tablesIn(page).toSorted()).toEqual([...wantedTables].toSorted());
  expect(page === withFieldTables(page), "docs/api.md is out of date: npm run api-page").toBe(true);
});

const root = new URL("../../", import.meta.url);

/** The codes of errors that the code of the HTTP API writes down. Failed jobs bring others, which a device reports. */
function writtenCodes(): ReadonlySet<string> {
  const files = globSync(
    ["convex/http.ts", "convex/{openai,ollama,anthropic}/**/*.ts", "app/jobs/parse/parse-body.ts"],
    { cwd: root },
  );
  const texts = files
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(new URL(file, root), "utf8"));
  const inText = (text: string) => text.matchAll(/(?:\bcode: |\brefuse\(\d+, )"([a-z_]+)"/g);
  return new Set(texts.flatMap((text) => [...inText(text)].map(([, code = ""]) => code)));
}

it("docs/api.md has a row for each error that the HTTP API answers with", () => {
  const [table = ""] = /\| status \| code \| reason \|\n[^]*?\n\n/.exec(page) ?? [];
  const rows = table.split("\n").map((row) => row.split("|")[2] ?? "");
  const documented = new Set(
    rows.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code)),
  );
  expect(writtenCodes().size).toBeGreaterThan(30);
  expect([...writtenCodes()].filter((code) => !documented.has(code))).toEqual([]);
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
