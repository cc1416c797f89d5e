import { type FileHandle, open } from "node:fs/promises";
import { csvLine, withoutFormula } from "../../../app/format/csv.ts";
import { CommandError, failCommand } from "../../command/command.ts";
import { type CsvDialect, dialectOf, readRows } from "./rows.ts";
import type { RunRecord, RunState } from "./run-state.ts";
import { type Fields, textOfValue } from "./template.ts";

/** The end of a row's request: an answer, or an error. */
export type RowAnswer = { readonly text: string; readonly isError: boolean };

/**
 * The output of a run: each row of the table with its answer, in the order of the rows. An answer waits in memory until those
 * before it are there. Each flush first writes, then notes how far the file is complete, so that a run that was killed at
 * any point cuts the file there and continues.
 */
export class AnswerFile {
  readonly #file: FileHandle;
  readonly #record: RunRecord;
  readonly #rows: AsyncGenerator<Fields>;
  readonly #dialect: CsvDialect;
  readonly #waiting = new Map<number, RowAnswer>();

  private constructor(
    file: FileHandle,
    record: RunRecord,
    rows: AsyncGenerator<Fields>,
    dialect: CsvDialect,
  ) {
    this.#file = file;
    this.#record = record;
    this.#rows = rows;
    this.#dialect = dialect;
  }

  /** Rejects with a CommandError if the file is shorter than it was. */
  static async open(path: string, record: RunRecord): Promise<AnswerFile> {
    const { settings, written } = record.state;
    const file = await open(path, written.bytes === 0 ? "w" : "r+", 0o600).catch((error: unknown) => {
      throw new CommandError((error as Error).message);
    });
    if ((await file.stat()).size < written.bytes) {
      throw new CommandError(`${path} is shorter than this run has written it. Put the file back.`);
    }
    await file.truncate(written.bytes);
    const rows = readRows(settings.input, settings.format);
    for (let row = 0; row < written.rows; row++) await rows.next();
    // The program that wrote the table can open the output, too.
    const dialect =
      settings.format === "csv" ? await dialectOf(settings.input) : { delimiter: ",", mark: "" };
    return new AnswerFile(file, record, rows, dialect);
  }

  /** Takes the answer of a row that has none yet. */
  add(row: number, answer: RowAnswer): void {
    if (row >= this.#record.state.written.rows) this.#waiting.set(row, answer);
  }

  has(row: number): boolean {
    return row < this.#record.state.written.rows || this.#waiting.has(row);
  }

  /** Writes the answers for which all before them are there. */
  async flush(): Promise<void> {
    const { state } = this.#record;
    let { rows, bytes, failed } = state.written;
    const lines = bytes === 0 ? [headerOf(state, this.#dialect)] : [];
    for (let answer = this.#waiting.get(rows); answer !== undefined; answer = this.#waiting.get(rows)) {
      this.#waiting.delete(rows);
      lines.push(lineOf(state, (await this.#rows.next()).value as Fields, answer, this.#dialect));
      rows += 1;
      if (answer.isError) failed += 1;
    }
    const text = Buffer.from(lines.join(""));
    if (rows === state.written.rows && text.length === 0) return;
    await this.#write(text, bytes).catch(failCommand);
    bytes += text.length;
    await this.#record.save({ written: { rows, bytes, failed } });
  }

  /** On a full disk the system writes only a part at first. */
  async #write(text: Buffer, position: number): Promise<void> {
    for (let at = 0; at < text.length;) {
      const { bytesWritten } = await this.#file.write(text, at, text.length - at, position + at);
      at += bytesWritten;
    }
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** The name of the column for errors. */
export function errorColumn(column: string): string {
  return `${column}_error`;
}

function headerOf(
  { settings: { outputFormat, column }, columns }: RunState,
  { delimiter, mark }: CsvDialect,
): string {
  if (outputFormat === "jsonl") return "";
  return mark + csvLine([...columns, column, errorColumn(column)], delimiter);
}

function lineOf(
  { settings, columns }: RunState,
  fields: Fields,
  { text, isError }: RowAnswer,
  { delimiter }: CsvDialect,
): string {
  const { column, outputFormat } = settings;
  const [answer, error] = isError ? [null, text] : [text, null];
  if (outputFormat === "jsonl") {
    return `${JSON.stringify({ ...fields, [column]: answer, [errorColumn(column)]: error })}\n`;
  }
  // The person's own cells stay as they are. A model may be talked into writing a formula.
  const cells = columns.map((each) => textOfValue(fields[each]));
  return csvLine([...cells, withoutFormula(answer ?? ""), withoutFormula(error ?? "")], delimiter);
}
