import { executions } from "../execution/execution.ts";
import { formatLogLine, type LogLevel } from "../execution/log-lines.ts";

const writer =
  (level: LogLevel) =>
  (...args: readonly unknown[]): void => {
    executions.getStore()?.context.logs.add(formatLogLine(level, args));
  };

const timers = new WeakMap<object, Map<string, number>>();

/** The functions' console: lines go to the call's log, never to this process's output. */
export const isolateConsole = {
  log: writer("LOG"),
  debug: writer("DEBUG"),
  info: writer("INFO"),
  warn: writer("WARN"),
  error: writer("ERROR"),
  trace: writer("DEBUG"),
  dir: writer("LOG"),
  assert: (condition: unknown, ...args: readonly unknown[]): void => {
    if (!condition) writer("ERROR")("Assertion failed:", ...args);
  },
  time: (label = "default"): void => void timersOfCall()?.set(label, performance.now()),
  timeLog: (label = "default"): void => writeElapsed(label),
  timeEnd: (label = "default"): void => {
    writeElapsed(label);
    timersOfCall()?.delete(label);
  },
};

function writeElapsed(label: string): void {
  const started = timersOfCall()?.get(label);
  if (started === undefined) writer("WARN")(`Timer '${label}' does not exist`);
  else writer("INFO")(`${label}: ${Math.round(performance.now() - started)}ms`);
}

function timersOfCall(): Map<string, number> | undefined {
  const context = executions.getStore()?.context;
  if (context === undefined) return undefined;
  const known = timers.get(context) ?? new Map<string, number>();
  timers.set(context, known);
  return known;
}
