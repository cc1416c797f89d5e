import { formatLogLine, formatLogValues, type LogLevel, type LogLines } from "../execution/log-lines.ts";

/** The owner of a console's lines: one run of a function. */
type Logging = { readonly logs: LogLines };

type Values = readonly unknown[];

/**
 * Creates a console whose lines go to the log of the run that prints them. It has the methods that Convex's has. `present`
 * returns that run, and `framesHere` the frames of the caller.
 */
export function createLogConsole(present: () => Logging | undefined, framesHere: () => readonly string[]) {
  const timers = new WeakMap<Logging, Map<string, number>>();
  const write = (level: LogLevel, text: string): void => {
    present()?.logs.add(formatLogLine(level, text));
  };
  const writer =
    (level: LogLevel) =>
    (...args: Values): void => {
      if (present() !== undefined) write(level, formatLogValues(args));
    };
  const timersOfRun = (): Map<string, number> | undefined => {
    const run = present();
    if (run === undefined) return undefined;
    const known = timers.get(run) ?? new Map<string, number>();
    timers.set(run, known);
    return known;
  };
  const writeElapsed = (name: string, args: Values): void => {
    const started = timersOfRun()?.get(name);
    if (started === undefined) {
      write("WARN", `Timer '${name}' does not exist`);
      return;
    }
    const elapsed = `${name}: ${Math.round(performance.now() - started)}ms`;
    write("INFO", args.length === 0 ? elapsed : `${elapsed} ${formatLogValues(args)}`);
  };
  return {
    log: writer("LOG"),
    debug: writer("DEBUG"),
    info: writer("INFO"),
    warn: writer("WARN"),
    error: writer("ERROR"),
    trace: (...args: Values): void => write("LOG", [`${formatLogValues(args)} `, ...framesHere()].join("\n")),
    time: (label?: unknown): void => {
      const name = nameOf(label);
      const started = timersOfRun();
      if (started?.has(name) === true) write("WARN", `Timer '${name}' already exists`);
      else started?.set(name, performance.now());
    },
    timeLog: (label?: unknown, ...args: Values): void => writeElapsed(nameOf(label), args),
    timeEnd: (label?: unknown): void => {
      const name = nameOf(label);
      writeElapsed(name, []);
      timersOfRun()?.delete(name);
    },
  };
}

function nameOf(label: unknown): string {
  // oxlint-disable-next-line typescript/no-base-to-string -- as the consoles of browsers do
  return label === undefined ? "default" : String(label);
}
