import { fileFields, lineFields, partFields } from "../fields/batches.ts";
import type { Field, Fields, Support } from "../fields/field.ts";
import { bodies, ollamaBodies } from "./bodies.ts";

/** The tables that docs/api.md shows, by the names in its markers. */
const tables: Readonly<Record<string, Fields>> = {
  ...Object.fromEntries(
    Object.entries({ ...bodies, ...ollamaBodies }).map(([name, { body }]) => [name, body.fields]),
  ),
  FileForm: fileFields,
  PartForm: partFields,
  BatchLine: lineFields,
};

const labels: Readonly<Record<Support, string>> = {
  supported: "supported",
  neutral: "neutral only",
  inert: "no effect",
};
const order: readonly Support[] = ["supported", "neutral", "inert"];

/** A table of fields in Markdown: one row each, supported ones first, and required ones before others. */
function fieldTable(fields: Fields): string {
  const rank = ({ support, words }: Field): number =>
    order.indexOf(support) - (words.startsWith("required") ? 0.5 : 0);
  const rows = Object.entries(fields)
    .toSorted(([, one], [, other]) => rank(one) - rank(other))
    .map(([name, field]) => `| \`${name}\` | ${labels[field.support]} | ${wordsOf(field)} |`);
  return ["| field | | |", "| --- | --- | --- |", ...rows].join("\n");
}

function wordsOf({ words, fields }: Field): string {
  const unused = fields === undefined ? [] : [...new Set(unusedIn(fields))];
  return unused.length === 0
    ? words
    : `${words}. No effect in it: ${unused.map((each) => `\`${each}\``).join(", ")}`;
}

/** The names of all fields inside an object that have no effect. */
function unusedIn(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, { support, fields: inside }]) =>
    support === "inert" ? [name] : inside === undefined ? [] : unusedIn(inside),
  );
}

/** A marker, and all that follows until its end. */
const marked = /<!-- fields of (\w+) -->\n[^]*?<!-- end of fields -->/g;

/** The page with its tables made anew. Throws if a marker names no table. */
export function withFieldTables(page: string): string {
  return page.replace(marked, (_all, name: string) => {
    const fields = tables[name];
    if (fields === undefined) throw new Error(`No request is named ${name}.`);
    return `<!-- fields of ${name} -->\n${fieldTable(fields)}\n<!-- end of fields -->`;
  });
}

/** The names of the tables that a page has. */
export function tablesIn(page: string): readonly string[] {
  return [...page.matchAll(marked)].map(([, name = ""]) => name);
}

/** The names of the tables that docs/api.md must have. A count of tokens has the fields of a message. */
export const wantedTables = Object.keys(tables).filter((name) => name !== "CountTokensRequest");
