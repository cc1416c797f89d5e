import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const suite = join(root, "test/conformance");

/** The rows of the table in docs/embedded.md: the difference, and the tests that show it, as "file: title". */
function rowsOf(page: string): readonly { readonly difference: string; readonly tests: readonly string[] }[] {
  const [, section = ""] = page.split("## Differences from Convex Cloud\n");
  const lines = section.split("\n## ", 1)[0]!.split("\n");
  return lines
    .filter((line) => line.startsWith("| ") && !/^\| (?:\||---)/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(" | ");
      return { difference: cells[0]!, tests: testsIn(cells.at(-1)!) };
    });
}

/** Each file's name in backticks is followed by titles in quotation marks. */
function testsIn(cell: string): readonly string[] {
  return cell.split(/(?=`[\w-]+`: ")/).flatMap((part) => {
    const [, file = "", titles = ""] = /^`([\w-]+)`: (.*?)(?:; )?$/.exec(part) ?? [];
    return titles.split('; "').map((title) => `${file}: ${title.replace(/^"|"$/g, "")}`);
  });
}

/** The titles of a file's tests that run, without the end that names a case: ": %s". */
function titlesIn(file: string): readonly string[] {
  const source = readFileSync(join(suite, file), "utf8").replaceAll(/\bdescribe(?:\.\w+\([^)]*\))?\(/g, "");
  const titles = [
    ...source.matchAll(/(?:\btest(?:\.(?!skip\b|todo\b)\w+)*|\))\(\s*(["'`])((?:(?!\1).)*)\1,/gs),
  ];
  return titles.map(([, , title = ""]) => `${file.replace(".test.ts", "")}: ${title.replace(/: %s.*$/, "")}`);
}

const files = readdirSync(suite).filter((name) => name.endsWith(".test.ts"));
const known = new Set(files.flatMap(titlesIn));
const rows = rowsOf(readFileSync(join(root, "docs/embedded.md"), "utf8"));

it("the page has a table of differences, and the suite has tests", () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(known.size).toBeGreaterThan(200);
});

it.each(rows)("a conformance test shows this difference from Convex Cloud: $difference", ({ tests }) => {
  expect(tests).not.toEqual([]);
  expect(tests.filter((each) => !known.has(each))).toEqual([]);
});

it("the table names every test of a difference", () => {
  const named = new Set(rows.flatMap(({ tests }) => tests));
  const differences = [...known].filter((each) => each.startsWith("differences"));
  expect(differences.filter((each) => !named.has(each))).toEqual([]);
});
