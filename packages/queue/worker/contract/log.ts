export type LogLevel = "debug" | "info" | "warn" | "error";

/** Numbers, ids and fixed words: never a payload, a result or a key. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** The worker's log. An application passes its own. */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

export const silentLog: Log = () => undefined;

/** Prints warnings and errors to standard error as JSON, one object a line. The default. */
export const warningsLog: Log = (level, event, fields = {}) => {
  if (level !== "warn" && level !== "error") return;
  console.error(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }));
};

/** An error's name or system code. Its message may quote a payload, so it is not logged. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : error.name;
}
