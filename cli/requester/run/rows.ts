import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { isRecord, parseJson } from "../../../app/json.ts";
import { CommandError, exitUsage } from "../../command/command.ts";
import type { Fields } from "./template.ts";

export const tableFormats = ["csv", "jsonl"] as const;
export type TableFormat = (typeof tableFormats)[number];

/** The format of a table by its file's name. Null: neither CSV nor JSON lines. */
export function formatOf(file: string): TableFormat | null {
  const extension = extname(file).slice(1).toLowerCase();
  return extension === "ndjson" ? "jsonl" : (tableFormats.find((format) => format === extension) ?? null);
}

/** The rows of a file in their order, while it is read. Rejects with a CommandError that names the wrong line. */
export async function* readRows(file: string, format: TableFormat): AsyncGenerator<Fields> {
  if (format === "jsonl") yield* readJsonRows(file);
  else yield* readCsvRows(file);
}

async function* readCsvRows(file: string): AsyncGenerator<Fields> {
  const text = textOf(file);
  const first = (await text.next()).value ?? "";
  const whole = async function* (): AsyncGenerator<string> {
    yield first;
    yield* text;
  };
  const parser = parse({
    delimiter: delimiterOf(first),
    columns: (header: string[]) => checkedHeader(file, header),
    skip_empty_lines: true,
  });
  pipeline(Readable.from(whole()), parser, () => undefined);
  try {
    for await (const row of parser as AsyncIterable<Fields>) yield row;
  } catch (error) {
    throw error instanceof CsvError ? wrongTable(`${file} is not a CSV table: ${faultOf(error)}`) : error;
  }
}

function wrongTable(message: string): CommandError {
  return new CommandError(message, exitUsage);
}

/** Explains the fault of a table in a spreadsheet's words, since the parser's words are for programmers. */
function faultOf({ code, message, lines, record, columns }: CsvError): string {
  const line = `line ${String(lines)}`;
  const countOf = (list: unknown): string => String((list as readonly unknown[]).length);
  switch (code) {
    case "CSV_RECORD_INCONSISTENT_COLUMNS":
      return `${line} has another number of values (${countOf(record)}) than the header (${countOf(columns)}). A value with a delimiter in it needs quotes.`;
    case "CSV_QUOTE_NOT_CLOSED":
      return `the quote that begins at ${line} has no end.`;
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
      return `${line} has a quote in the middle of a value. Quote the whole value, and double the quotes in it.`;
    default:
      return `${message}.`;
  }
}

/** How a CSV file is written. `mark`: its byte order mark, by which Excel knows UTF-8, or nothing. */
export type CsvDialect = { readonly delimiter: string; readonly mark: string };

/** Reads the first lines. Rejects with a CommandError if the file cannot be read. */
export async function dialectOf(file: string): Promise<CsvDialect> {
  const text = textOf(file, true);
  const first = (await text.next()).value ?? "";
  await text.return(undefined);
  return { delimiter: delimiterOf(first), mark: first.startsWith(byteOrderMark) ? byteOrderMark : "" };
}

const byteOrderMark = "\ufeff";

/** Spreadsheets of some languages write semicolons, and some programs tabs. The header tells. */
function delimiterOf(text: string): string {
  const [header = ""] = text.split("\n", 1);
  return [",", ";", "\t"].find((delimiter) => header.includes(delimiter)) ?? ",";
}

function checkedHeader(file: string, header: readonly string[]): string[] {
  const names = header.map((name) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrongTable(`${file} has two columns called "${twice}". Rename one.`);
  return names;
}

async function* readJsonRows(file: string): AsyncGenerator<Fields> {
  let number = 0;
  for await (const line of linesOf(textOf(file))) {
    number += 1;
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (!isRecord(value)) throw wrongTable(`Line ${String(number)} of ${file} is not a JSON object.`);
    yield value;
  }
}

/** Splits text at line breaks only: JSON may contain the other separators of Unicode. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** The text of a file, without a byte order mark unless that is asked for. */
async function* textOf(file: string, ignoreBOM = false): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM });
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
      yield decoder.decode(bytes, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw new CommandError((error as Error).message);
    throw wrongTable(`${file} is not in UTF-8. Save it with that encoding, as "CSV UTF-8" in Excel.`);
  }
  return undefined;
}
