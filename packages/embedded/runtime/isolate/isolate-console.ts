import { executions } from "../execution/execution.ts";
import { formatLogLine, formatLogValues, type LogLevel } from "../execution/log-lines.ts";
import { framesHere } from "../execution/uncaught.ts";

type Values = readonly unknown[];

function write(level: LogLevel, text: string): void {
  executions.getStore()?.context.logs.add(formatLogLine(level, text));
}

const writer =
  (level: LogLevel) =>
  (...args: Values): void => {
    if (executions.getStore() !== undefined) write(level, formatLogValues(args));
  };

const timers = new WeakMap<object, Map<string, number>>();

/**
 * The functions' console: lines go to the call's log, never to this process's output. It has the methods that Convex's has.
 */
export const isolateConsole = {
  log: writer("LOG"),
  debug: writer("DEBUG"),
  info: writer("INFO"),
  warn: writer("WARN"),
  error: writer("ERROR"),
  trace: (...args: Values): void => write("LOG", [`${formatLogValues(args)} `, ...framesHere()].join("\n")),
  time: (label?: unknown): void => {
    const name = nameOf(label);
    const started = timersOfCall();
    if (started?.has(name) === true) write("WARN", `Timer '${name}' already exists`);
    else started?.set(name, performance.now());
  },
  timeLog: (label?: unknown, ...args: Values): void => writeElapsed(nameOf(label), args),
  timeEnd: (label?: unknown): void => {
    const name = nameOf(label);
    writeElapsed(name, []);
    timersOfCall()?.delete(name);
  },
};

function nameOf(label: unknown): string {
  return label === undefined ? "default" : (label as string);
}

function writeElapsed(name: string, args: Values): void {
  const started = timersOfCall()?.get(name);
  if (started === undefined) write("WARN", `Timer '${name}' does not exist`);
  else {
    const elapsed = `${name}: ${Math.round(performance.now() - started)}ms`;
    write("INFO", args.length === 0 ? elapsed : `${elapsed} ${formatLogValues(args)}`);
  }
}

function timersOfCall(): Map<string, number> | undefined {
  const context = executions.getStore()?.context;
  if (context === undefined) return undefined;
  const known = timers.get(context) ?? new Map<string, number>();
  timers.set(context, known);
  return known;
}
