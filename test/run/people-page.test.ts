import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { rights, scopeOf } from "../../app/people/rights.ts";
import { roles } from "../../app/people/roles.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/people.md"), "utf8");

/** The cells of the page's rows whose first cell is a right or the head. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim().replaceAll("`", "")));

it("docs/people.md shows the table of rights", () => {
  const head = ["right", ...roles];
  const at = rows.findIndex(([first]) => first === "right");
  expect(rows[at]).toEqual(head);
  const table = rights.map((right) => [right, ...roles.map((role) => scopeOf(right, [role]) ?? "")]);
  expect(rows.slice(at + 2, at + 2 + table.length)).toEqual(table);
});
