export type LogLevel = "debug" | "info" | "warn" | "error";

/** Numbers, ids and words of ours. Never a prompt, an answer, a key or a code. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

export const silentLog: Log = () => undefined;

/** Writes one JSON object a line. `write` gets each line with its newline. */
export function jsonLinesLog(write: (line: string) => void, minimum: LogLevel = "info"): Log {
  return (level, event, fields = {}) => {
    if (levels.indexOf(level) < levels.indexOf(minimum)) return;
    write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The loggable part of an error: the system's code, or its name. Its message may contain private text. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : error.name;
}
