import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { isRecord, parseJson } from "../../../app/json.ts";
import { CommandError } from "../../command/command.ts";
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
    throw error instanceof CsvError
      ? new CommandError(`${file} is not a CSV table: ${error.message}.`)
      : error;
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
  if (twice !== undefined) throw new CommandError(`${file} has two columns called "${twice}". Rename one.`);
  return names;
}

async function* readJsonRows(file: string): AsyncGenerator<Fields> {
  let number = 0;
  for await (const line of linesOf(textOf(file))) {
    number += 1;
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (!isRecord(value)) throw new CommandError(`Line ${String(number)} of ${file} is not a JSON object.`);
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
    throw new CommandError(`${file} is not in UTF-8. Save it with that encoding, as "CSV UTF-8" in Excel.`);
  }
  return undefined;
}
