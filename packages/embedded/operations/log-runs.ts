import * as z from "zod";
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

export type RunLogOptions = {
  /** Whether the `message` of a ConvexError's data is logged: only for apps whose messages never quote their callers. */
  readonly refusals: boolean;
};

/** Logs a function's printed lines and its outcome. Successes are logged only at the debug level. */
export function logRun(log: Log, run: FunctionRun, options: RunLogOptions): void {
  for (const line of run.logLines) logLine(log, run, line);
  const { durationMs, retries, caller, failure } = run;
  const fields: LogFields = {
    ...named(run),
    caller,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(retries === 0 ? {} : { retries }),
  };
  if (failure === null) log.debug("function.succeeded", fields);
  else log[levelOf(run)]("function.failed", { ...fields, ...failureFields(run, failure, options) });
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

/** Data of a ConvexError by which apps tell callers why they refuse. A name cannot quote a text. */
const refusalSchema = z.object({
  code: z.string().regex(/^[A-Za-z][\w.-]{0,63}$/),
  message: z.string().optional(),
});
const maxSentence = 500;

/** The failure and its place. Of a ConvexError's data only the code is logged by default: it is meant for the caller. */
function failureFields(
  { identifier }: FunctionRun,
  { message, data }: NonNullable<FunctionRun["failure"]>,
  { refusals }: RunLogOptions,
): LogFields {
  // The answer quotes the name that the caller made up.
  if (identifier === null) return { code: "not_found", message: "There is no public function of this name." };
  if (data === undefined) return { message: withoutValues(message) };
  const [, ...frames] = message.split(/\n(?= {4}at )/);
  const { data: refusal } = refusalSchema.safeParse(data);
  const sentence = refusals ? refusal?.message?.slice(0, maxSentence) : undefined;
  const headline = sentence === undefined ? "Uncaught ConvexError" : `Uncaught ConvexError: ${sentence}`;
  return {
    ...(refusal === undefined ? {} : { code: refusal.code }),
    message: [headline, ...frames].join("\n"),
  };
}
