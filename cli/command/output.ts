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
