import type { JSONValue } from "convex/values";
import { floatJson } from "../export-values.ts";
import { at, ImportFailure } from "./import-failure.ts";

type CsvRow = { readonly line: number; readonly cells: readonly string[] };

const maxCellLength = 1024 * 1024;
const maxCells = 1024;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const namedPattern = /^([+-]?)(inf|infinity|nan)$/i;

/** Yields the records of a CSV file (RFC 4180). Throws ImportFailure for a malformed file. */
export async function* csvRows(content: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<CsvRow> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  let start = 1;
  let cell = "";
  let cells: string[] = [];
  let state: "start" | "bare" | "quoted" | "quote" = "start";
  const endCell = (): void => {
    if (cells.length >= maxCells) throw at(file, start, `there are more than ${String(maxCells)} cells.`);
    cells.push(cell);
    cell = "";
    state = "start";
  };
  const add = (character: string): void => {
    if (cell.length >= maxCellLength) throw at(file, start, "a cell is longer than 1 MiB.");
    cell += character;
  };
  for await (const text of decoded(content, decoder, file)) {
    for (const character of text) {
      const isLineEnd = character === "\n";
      if (state === "quoted") {
        if (character === '"') state = "quote";
        else add(character);
      } else if (state === "quote" && character === '"') {
        add(character);
        state = "quoted";
      } else if (character === ",") endCell();
      else if (isLineEnd) {
        const isBlank = cells.length === 0 && cell === "" && state === "start";
        endCell();
        if (!isBlank) yield { line: start, cells };
        cells = [];
        start = line + 1;
      } else if (character === '"' && state === "start") state = "quoted";
      else if (character !== "\r") {
        if (state === "quote") throw at(file, line, "there is text after a closing quote.");
        state = "bare";
        add(character);
      }
      if (isLineEnd) line += 1;
    }
  }
  if (state === "quoted") throw at(file, start, "a quote is never closed.");
  if (cells.length > 0 || cell !== "") {
    endCell();
    yield { line: start, cells };
  }
}

/** Reads a cell as Convex does: a number becomes a float, anything else text. */
export function cellValue(cell: string): JSONValue {
  if (number.test(cell)) return floatJson(Number(cell));
  const named = namedPattern.exec(cell);
  if (named === null) return cell;
  const size = named[2]?.toLowerCase() === "nan" ? NaN : Infinity;
  return floatJson(named[1] === "-" ? -size : size);
}

async function* decoded(
  content: AsyncIterable<Uint8Array>,
  decoder: TextDecoder,
  file: string,
): AsyncGenerator<string> {
  try {
    for await (const chunk of content) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new ImportFailure(`${file} is not valid UTF-8.`);
    throw error;
  }
}
