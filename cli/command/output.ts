import { visibleJson, visibleText } from "../../app/format/visible.ts";

/** Prints words that contain names from elsewhere. They cannot move the cursor or color the terminal. */
export function say(text: string): void {
  console.log(text.split("\n").map(visibleText).join("\n"));
}

/** Prints a value as JSON, as `say` does. */
export function sayJson(value: unknown): void {
  console.log(visibleJson(JSON.stringify(value)));
}

/** Shows progress on standard error. Silent with --json. */
export class Progress {
  readonly #isShown: boolean;
  readonly #isTerminal = process.stderr.isTTY;

  constructor(isJson: boolean) {
    this.#isShown = !isJson;
  }

  /** A temporary line that the next one replaces. Shown only on a terminal. */
  at(text: string): void {
    if (this.#isShown && this.#isTerminal) process.stderr.write(`\r\u001b[K${text}`);
  }

  /** A permanent line. */
  done(text: string): void {
    if (!this.#isShown) return;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}\n` : `${text}\n`);
  }
}

/** Aligned columns with two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
