import { limits } from "../checks/limits.ts";
import { truncated } from "../checks/truncated.ts";
import { ValueInspector } from "./inspect-value.ts";

export type LogLevel = "LOG" | "DEBUG" | "INFO" | "WARN" | "ERROR";

/** Formats the arguments of a console call as Convex does. */
export function formatLogValues(args: readonly unknown[]): string {
  // The rest of a longer line would be cut anyway.
  const inspector = new ValueInspector(limits.logLineBytes);
  return args.map((arg) => inspector.inspect(arg)).join(" ");
}

/** Formats a line as Convex does: `[LOG] 'text' 1`. */
export function formatLogLine(level: LogLevel, text: string): string {
  return truncated(`[${level}] ${text}`, limits.logLineBytes);
}

const validationError = /\b(?:(?:Argument|Returns)ValidationError|does not match the schema): /;

/** Errors of V8 and of Convex's client library that quote a value, and the sentences that replace them. */
const quoting: readonly (readonly [RegExp, string])[] = [
  [/\bSyntaxError: [^]*?is not valid JSON/, "SyntaxError: A text is not valid JSON"],
  [
    /\bError: [^]*? is not a (?:supported Convex type|valid Convex value)[^\n]*/,
    "Error: A value is of no type that Convex supports.",
  ],
];

/**
 * Removes the value that an error quotes. The caller may see it, but logs are kept and read by others, so they show only
 * its place.
 */
export function withoutValues(line: string): string {
  const found = validationError.exec(line);
  if (found === null) {
    return quoting.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line);
  }
  const start = found.index + found[0].length;
  const path = /\nPath: ([\w.[\]()]+)/.exec(line.slice(start))?.[1];
  return `${line.slice(0, start)}${path === undefined ? "a value" : path} is not what its validator allows.`;
}

/** The log lines of one execution and its nested calls. Lines beyond the limit are dropped with a notice. */
export class LogLines {
  readonly #lines: string[] = [];
  readonly #onLine: (line: string) => void;

  /** `onLine` receives each line at once, for executions that may outlast their result. */
  constructor(onLine: (line: string) => void = () => {}) {
    this.#onLine = onLine;
  }

  add(line: string): void {
    const last = limits.logLines - 1;
    if (this.#lines.length < last) this.#push(withoutValues(line));
    else if (this.#lines.length === last) {
      this.#push(`[ERROR] Log overflow (maximum ${limits.logLines}). Remaining log lines omitted.`);
    }
  }

  /** Adds a warning of the backend, whatever the function has printed. */
  warn(text: string): void {
    this.#push(`[WARN] ${text}`);
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#onLine(line);
  }

  /** Adds the lines of others, which are complete. */
  addAll(others: LogLines): void {
    for (const line of others.lines()) this.#push(line);
  }

  lines(): readonly string[] {
    return [...this.#lines];
  }
}
