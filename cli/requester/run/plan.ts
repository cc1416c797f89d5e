import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { batchLimits } from "../../../app/batches/limits.ts";
import { formatBytes, formatCount } from "../../../app/format/quantity.ts";
import { CommandError, exitUsage } from "../../command/command.ts";
import { type ChatBody, chatBody, type ChatOptions } from "../client/ask.ts";
import { readRows, type TableFormat } from "./rows.ts";
import { columnsIn, type Fields, fillTemplate } from "./template.ts";

/** The requests of a run: everything that its answers depend on. */
export type RunRequests = ChatOptions & {
  readonly input: string;
  readonly format: TableFormat;
  readonly template: string;
  readonly system: string | null;
};

/** Rows that become one batch: from the row `from`, counted from 0, to the one before `to`. `bytes`: of its file. */
export type Part = { readonly from: number; readonly to: number; readonly bytes: number };

export type Plan = {
  readonly rows: number;
  /** All columns, in the order of their first row. */
  readonly columns: readonly string[];
  readonly parts: readonly Part[];
};

type Limits = Readonly<Record<"lines" | "lineBytes" | "uploadBytes", number>>;

/**
 * Reads the whole table once, and divides the rows after the first `tried` ones into batches. Rejects with a CommandError if the
 * table is empty, or if a row lacks a column of the template.
 */
export async function planRun(run: RunRequests, tried: number, limits: Limits = batchLimits): Promise<Plan> {
  const { input, template } = run;
  const named = columnsIn(template);
  const columns = new Set<string>();
  const parts: Part[] = [];
  let rows = 0;
  for await (const fields of readRows(input, run.format)) {
    for (const column of Object.keys(fields)) columns.add(column);
    const missing = named.find((column) => !Object.hasOwn(fields, column));
    if (missing !== undefined) throw missingColumn(run, rows, missing, Object.keys(fields));
    const bytes = Buffer.byteLength(requestLine(run, rows, fields));
    if (bytes > limits.lineBytes) {
      const most = formatBytes(limits.lineBytes);
      throw new CommandError(
        `Row ${formatCount(rows + 1)} of ${input} makes a request of more than ${most}.`,
      );
    }
    if (rows >= tried) addTo(parts, rows, bytes, limits);
    rows += 1;
  }
  if (rows === 0) throw new CommandError(`${input} has no rows.`, exitUsage);
  if (named.length === 0) {
    const example = [...columns][0] ?? "";
    throw new CommandError(
      `The template names no column, so every request would be the same. Write for example {{${example}}}. ` +
        `${input} has the columns ${[...columns].join(", ")}.`,
      exitUsage,
    );
  }
  return { rows, columns: [...columns], parts };
}

function missingColumn(
  { input }: RunRequests,
  row: number,
  missing: string,
  has: readonly string[],
): CommandError {
  const where = row === 0 ? `${input} has` : `Row ${formatCount(row + 1)} of ${input} has`;
  return new CommandError(
    `The template names {{${missing}}}, but there is no such column. ${where} the columns ${has.join(", ")}.`,
    exitUsage,
  );
}

function addTo(parts: Part[], row: number, bytes: number, limits: Limits): void {
  const last = parts.at(-1);
  const fits =
    last !== undefined && last.to - last.from < limits.lines && last.bytes + bytes <= limits.uploadBytes;
  if (fits) parts[parts.length - 1] = { from: last.from, to: row + 1, bytes: last.bytes + bytes };
  else parts.push({ from: row, to: row + 1, bytes });
}

/** The request about a row. */
export function requestOf({ template, system, ...options }: RunRequests, fields: Fields): ChatBody {
  const instruction = system === null ? [] : [{ role: "system" as const, content: system }];
  const question = { role: "user" as const, content: fillTemplate(template, fields) };
  return chatBody(options, [...instruction, question]);
}

/** The line about a row in a batch's file. Rows count from 0, and their names from 1. */
export function requestLine(run: RunRequests, row: number, fields: Fields): string {
  const request = { method: "POST", url: "/v1/chat/completions", body: requestOf(run, fields) };
  return `${JSON.stringify({ custom_id: nameOfRow(row), ...request })}\n`;
}

export function nameOfRow(row: number): string {
  return `row-${String(row + 1)}`;
}

/** The reverse of `nameOfRow`. */
export function rowOfName(name: string): number {
  return Number(name.slice("row-".length)) - 1;
}

/** The file of a part's requests. */
export async function* linesOfPart(
  run: RunRequests,
  { from, to }: Pick<Part, "from" | "to">,
): AsyncGenerator<Buffer> {
  let row = 0;
  for await (const fields of readRows(run.input, run.format)) {
    if (row >= to) return;
    if (row >= from) yield Buffer.from(requestLine(run, row, fields));
    row += 1;
  }
}

/** Rejects with a CommandError if the file is missing or empty. */
export async function hashOfTable(input: string): Promise<string> {
  const found = await stat(input).catch(() => null);
  if (found?.isFile() !== true) throw new CommandError(`There is no file ${input}.`, exitUsage);
  if (found.size === 0) throw new CommandError(`${input} is empty.`, exitUsage);
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(input) as AsyncIterable<Buffer>) hash.update(bytes);
  return hash.digest("hex");
}
