import { withoutValues } from "../runtime/execution/log-lines.ts";
import { assertNever } from "../values/assert-never.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ["json", "text"] as const;
export type LogFormat = (typeof logFormats)[number];

/** Fields of an entry besides its time, level and event. Never put secrets, arguments or documents here. */
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined };

/**
 * Logs an event and its fields. The event is a name for programs to look for, such as "api.failed". A field
 * called `message` is shown first.
 */
export type Log = { readonly [Level in LogLevel]: (event: string, fields?: LogFields) => void };

type LogOptions = {
  readonly format: LogFormat;
  /** Less important entries are dropped. */
  readonly level: LogLevel;
  /** Receives each entry as one line, without the line break. */
  readonly write: (line: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
};

type Entry = {
  readonly time: string;
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
};

export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export function createLog({ format, level: least, write, now = Date.now }: LogOptions): Log {
  const at =
    (level: LogLevel): Log[LogLevel] =>
    (event, fields = {}) => {
      const entry = { time: new Date(now()).toISOString(), level, event, fields };
      write(lineOf(format, entry));
    };
  const isShown = (level: LogLevel): boolean => logLevels.indexOf(level) >= logLevels.indexOf(least);
  const [debug, info, warn, error] = logLevels.map((level) => (isShown(level) ? at(level) : silent[level]));
  return { debug, info, warn, error } as Log;
}

/** Longest chain of causes that is described. */
const maxCauses = 5;
/** Longest description in UTF-16 units. */
const maxDescription = 16_384;

/**
 * Formats an error with its stack, its code and its causes. Use it only for the log. Values that a validator refused are
 * left out.
 */
export function describeError(error: unknown): string {
  return describe(error, maxCauses).slice(0, maxDescription);
}

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return withoutValues(String(error));
  const { code } = error as NodeJS.ErrnoException;
  const stack = withoutValues(stackOf(error));
  const known = typeof code === "string" && !stack.includes(code) ? `${stack}\n[code ${code}]` : stack;
  if (depth === 0) return known;
  const inner = [
    ...(error.cause === undefined ? [] : [error.cause]),
    ...(error instanceof AggregateError ? (error.errors as readonly unknown[]).slice(0, maxCauses) : []),
  ];
  return [known, ...inner.map((each) => `Caused by: ${describe(each, depth - 1)}`)].join("\n");
}

/** The stack of an error that a function has met begins with its frames. Others may begin with a message that was replaced since. */
function stackOf({ name, message, stack = "" }: Error): string {
  const title = message === "" ? name : `${name}: ${message}`;
  const isTitled = stack !== "" && !stack.startsWith("    at ") && stack.includes(message);
  return isTitled ? stack : `${title}\n${stack}`.trimEnd();
}

function lineOf(format: LogFormat, entry: Entry): string {
  switch (format) {
    case "json": {
      const { fields, ...head } = entry;
      return escaped(JSON.stringify({ ...head, ...fields }));
    }
    case "text":
      return textOf(entry);
    default:
      return assertNever(format);
  }
}

/** Formats `2026-11-21T05:06:07.890Z warn  api.failed: the message requestId=1f…`. Indents further lines. */
function textOf({ time, level, event, fields }: Entry): string {
  const { message, ...others } = fields;
  const pairs = Object.entries(others).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${wordOf(value)}`],
  );
  const said = message === undefined || message === null ? event : `${event}: ${indented(String(message))}`;
  return [time, level.padEnd(5), said, ...pairs].join(" ");
}

// A newline in a message must not look like the start of another entry.
function indented(text: string): string {
  return text.split(/\r?\n/).map(escaped).join("\n    ");
}

function wordOf(value: string | number | boolean | null): string {
  if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(1);
  const text = String(value);
  return escaped(/^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text));
}

/**
 * Escapes characters that move a terminal's cursor, begin a line or change the direction of text, so that logged text
 * cannot pretend to be something else. The escapes are valid in JSON.
 */
export function escaped(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
