import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { archiveKinds, keptDays } from "../../app/archives/kinds.ts";
import schema from "../../convex/schema.ts";
import queueSchema from "../../packages/queue/component/schema.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/retention.md"), "utf8");

/** The rows of the tables under a heading: their cells. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, after = ""] = page.split(`\n${heading}\n`);
  return after
    .split(/\n#+ /)[0]!
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it.each([
  ["## Tables of the app", schema],
  ["## Tables of the queue", queueSchema],
])("%s in docs/retention.md has each table with its bound", (heading, definition) => {
  const rows = rowsUnder(heading);
  const named = rows.map(([name = ""]) => name.replaceAll("`", ""));
  expect(named.toSorted()).toEqual(Object.keys(definition.tables).toSorted());
  expect(rows.filter(([, bound = ""]) => bound === "")).toEqual([]);
});

it("docs/retention.md names the times of each kind of archive", () => {
  for (const kind of archiveKinds) {
    const { name, days, least } = keptDays[kind];
    const row = page.split("\n").find((line) => line.startsWith(`| ${name} |`));
    expect(row).toContain(`| ${String(days)} days | ${String(least)} days |`);
  }
});
