import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { JSONValue } from "convex/values";
import { nestsDeeperThan } from "../../wire/bounded-json.ts";
import { type NumberStyle, parseExportText } from "../export-values.ts";
import { cellValue, csvRows } from "./csv-rows.ts";
import { at, ImportFailure } from "./import-failure.ts";
import type { ImportFormat, ImportSource, Row } from "./import-source.ts";
import { textLines } from "./text-lines.ts";

/** Limit of a JSON array, which is read whole. Convex limits it too. */
const maxArrayBytes = 16 * 1024 * 1024;
/** Documents may not nest this deep. */
const maxDepth = 72;

/** Reads a file with the rows of one table. */
export function tableSource(
  path: string,
  format: Exclude<ImportFormat, "zip">,
  component: string,
  table: string,
): ImportSource {
  const readers = { jsonLines: linesOf, jsonArray: arrayOf, csv: csvOf };
  const file = `The ${format === "csv" ? "CSV" : "JSON"} file`;
  const rows = () => readers[format](path, file);
  return { tables: [{ component, table, file, rows }], files: [], close: () => undefined };
}

/** Yields the documents of a `documents.jsonl`. */
export async function* documentRows(
  content: AsyncIterable<Uint8Array>,
  file: string,
  style: NumberStyle,
): AsyncGenerator<Row> {
  for await (const { number, text } of textLines(content, file)) {
    yield { line: number, value: parsed(text, style, file, number) };
  }
}

function linesOf(path: string, file: string): AsyncIterable<Row> {
  return documentRows(createReadStream(path) as AsyncIterable<Uint8Array>, file, "plain");
}

async function* arrayOf(path: string, file: string): AsyncGenerator<Row> {
  const { size } = await stat(path);
  if (size > maxArrayBytes) {
    throw new ImportFailure(
      `${file} is too large for a JSON array (${String(size)} bytes, of ${String(maxArrayBytes)} at most). ` +
        "Write one document a line, and import it as .jsonl.",
    );
  }
  const value = parsed(await readFile(path, "utf8"), "plain", file, 1);
  if (!Array.isArray(value)) throw new ImportFailure(`${file} is not a JSON array.`);
  for (const [index, each] of value.entries()) yield { line: index + 1, value: each };
}

async function* csvOf(path: string, file: string): AsyncGenerator<Row> {
  let header: readonly string[] | null = null;
  for await (const { line, cells } of csvRows(createReadStream(path) as AsyncIterable<Uint8Array>, file)) {
    if (header === null) {
      header = cells.map((name) => name.trim());
      const twice = header.find((name, index) => header?.indexOf(name) !== index);
      if (twice !== undefined) throw at(file, line, `there are two columns called "${twice}".`);
      continue;
    }
    if (cells.length !== header.length) {
      throw at(
        file,
        line,
        `there are ${String(cells.length)} cells under ${String(header.length)} headings.`,
      );
    }
    const fields: Record<string, JSONValue> = {};
    for (const [index, name] of header.entries()) fields[name] = cellValue(cells[index] ?? "");
    yield { line, value: fields };
  }
  if (header === null) throw new ImportFailure(`${file} has no line with headings.`);
}

function parsed(text: string, style: NumberStyle, file: string, line: number): JSONValue {
  if (nestsDeeperThan(text, maxDepth)) throw at(file, line, "the JSON is nested too deeply.");
  const result = parseExportText(text, style);
  if (result.kind === "invalid") throw at(file, line, `this is not valid JSON: ${result.reason}.`);
  return result.value;
}
