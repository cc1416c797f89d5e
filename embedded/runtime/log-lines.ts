import { inspect } from "node:util";
import { LIMITS } from "./limits.ts";

export type LogLevel = "LOG" | "DEBUG" | "INFO" | "WARN" | "ERROR";

/** One console call as Convex formats it: `[LOG] 'text' { a: 1 }`. */
export function formatLogLine(level: LogLevel, args: readonly unknown[]): string {
  const line = `[${level}] ${args.map((arg) => inspect(arg, { depth: 4, breakLength: Infinity })).join(" ")}`;
  return line.length > LIMITS.logLineLength ? `${line.slice(0, LIMITS.logLineLength)} (truncated)` : line;
}

/** What one execution, with all that it calls, has logged. Bounded: the rest is dropped with a notice. */
export class LogLines {
  readonly #lines: string[] = [];

  add(line: string): void {
    if (this.#lines.length < LIMITS.logLines) this.#lines.push(line);
    else if (this.#lines.length === LIMITS.logLines) {
      this.#lines.push(`[ERROR] Log overflow (maximum ${LIMITS.logLines}). Remaining log lines omitted.`);
    }
  }

  addAll(lines: readonly string[]): void {
    for (const line of lines) this.add(line);
  }

  lines(): readonly string[] {
    return [...this.#lines];
  }
}
