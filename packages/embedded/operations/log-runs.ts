import type { FunctionRun, NamedRun } from "../runtime/execution/function-run.ts";
import { withoutValues } from "../runtime/execution/log-lines.ts";
import type { Log, LogFields, LogLevel } from "./log.ts";

const linePattern = /^\[(LOG|DEBUG|INFO|WARN|ERROR)\] /;
const levels: { readonly [level: string]: LogLevel } = {
  LOG: "info",
  DEBUG: "debug",
  INFO: "info",
  WARN: "warn",
  ERROR: "error",
};

/** Logs a function's printed lines and its outcome. Successes are logged only at the debug level. */
export function logRun(log: Log, run: FunctionRun): void {
  for (const line of run.logLines) logLine(log, run, line);
  const { durationMs, retries, caller, failure } = run;
  const fields: LogFields = {
    ...named(run),
    caller,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(retries === 0 ? {} : { retries }),
  };
  if (failure === null) log.debug("function.succeeded", fields);
  else log[levelOf(run)]("function.failed", { ...fields, message: headlineOf(failure) });
}

/** Logs a line that a function printed, at the level that the function chose. */
export function logLine(log: Log, run: NamedRun, line: string): void {
  const level = linePattern.exec(line)?.[1] ?? "LOG";
  log[levels[level] ?? "info"]("function.printed", { ...named(run), message: line.replace(linePattern, "") });
}

function named({ requestId, identifier, kind }: NamedRun): LogFields {
  return { requestId, function: identifier, kind };
}

/** An error with data is an intended answer of the application. A missing function is the caller's mistake. */
function levelOf({ failure, identifier }: FunctionRun): LogLevel {
  return failure?.data !== undefined || identifier === null ? "info" : "warn";
}

/** The failure and its place. A ConvexError's data is left out: it is meant for the caller. */
function headlineOf({ message, data }: NonNullable<FunctionRun["failure"]>): string {
  if (data === undefined) return withoutValues(message);
  const [, ...frames] = message.split(/\n(?= {4}at )/);
  return ["Uncaught ConvexError", ...frames].join("\n");
}
