import { formatShare } from "../../app/format/quantity.ts";
import { visibleJson, visibleText } from "../../app/format/visible.ts";

/** Prints words that contain names from elsewhere. They cannot move the cursor or color the terminal. */
export function say(text: string): void {
  console.log(text.split("\n").map(visibleText).join("\n"));
}

/** A model's text as it is printed. It cannot move a terminal's cursor. A file or a pipe gets it as it is. */
export function shown(text: string): string {
  return process.stdout.isTTY ? text.split("\n").map(visibleText).join("\n") : text;
}

/** Prints a value as JSON, as `say` does. */
export function sayJson(value: unknown): void {
  console.log(visibleJson(JSON.stringify(value)));
}

const barWidth = 24;

/** Shows progress on standard error. Silent with --json. */
export class Progress {
  readonly #isShown: boolean;
  readonly #isTerminal = process.stderr.isTTY;
  #tenths = -1;
  #waitReason = "";

  constructor(isJson: boolean) {
    this.#isShown = !isJson;
  }

  /** A temporary line that the next one replaces. Shown only on a terminal. */
  at(text: string): void {
    if (!this.#isShown || !this.#isTerminal) return;
    // A longer line would wrap, and only its last row would be replaced. Some terminals do not tell their width.
    const width = process.stderr.columns > 0 ? process.stderr.columns - 1 : 79;
    process.stderr.write(`\r\u001b[K${visibleText(text).slice(0, width)}`);
  }

  /** A bar with words behind it. Without a terminal, a line after each tenth. */
  bar(done: number, total: number, words: string): void {
    const share = total === 0 ? 1 : done / total;
    if (this.#isTerminal) {
      const filled = Math.floor(share * barWidth);
      this.at(`[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${formatShare(share)}  ${words}`);
      return;
    }
    const tenths = Math.floor(share * 10);
    if (tenths > this.#tenths) this.done(`${formatShare(share)}  ${words}`);
    this.#tenths = Math.max(tenths, this.#tenths);
  }

  /** The reason for a wait: a temporary line on a terminal, else a permanent one as soon as it is another one. */
  waiting(reason: string): void {
    if (this.#isTerminal) this.at(reason);
    else if (reason !== this.#waitReason) this.done(reason);
    this.#waitReason = reason;
  }

  /** Removes the temporary line, before other output. */
  clear(): void {
    this.at("");
  }

  /** A permanent line. */
  done(text: string): void {
    if (!this.#isShown) return;
    const lines = text.split("\n").map(visibleText).join("\n");
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${lines}\n` : `${lines}\n`);
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
