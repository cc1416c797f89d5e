/** A problem that the person at the terminal can fix: a sentence about what is wrong, and one about what to do. */
export class LaunchError extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = "LaunchError";
    this.remedy = remedy;
  }
}

/** @param command the command that takes other ports. */
export function portTaken(port: number, command = "npm start -- --port 4210"): LaunchError {
  return new LaunchError(
    `Port ${port} is taken by another program.`,
    `Stop that program (is Gleaner already running?), or choose another port: ${command}`,
  );
}

/** For a child that did not start. Shows the end of its output. */
export function notStarted(name: string, output: string, remedy: string): LaunchError {
  const said = output.trim().split("\n").slice(-6).join("\n         ");
  return new LaunchError(`The ${name} did not start.\n         ${said}`, remedy);
}

/** For a child that ended after its start, when nobody had asked it to. Shows its last error. */
export function endedUnexpectedly(name: string, output: string, logFile: string): LaunchError {
  const error = lastError(output);
  const why = error === null ? "" : `\n         ${error}`;
  return new LaunchError(`The ${name} ended unexpectedly.${why}`, `Its log: ${logFile}`);
}

/** The last error in a log, as a message. Null if the log has none. */
function lastError(output: string): string | null {
  const line = output.split("\n").findLast((each) => logError.test(each));
  return line?.replace(logError, "") ?? null;
}

const logError = /^\S+ error \S+ (?:[A-Za-z]*Error: )?/;

const fullDisk = ["ENOSPC", "EDQUOT"];

/** A LaunchError in two lines, as a full disk. Any other error with its stack, since it is a bug of ours. */
export function explain(error: unknown): string {
  if (error instanceof LaunchError) return `gleaner: ${error.message}\n         ${error.remedy}`;
  const { code = "", path } = error as NodeJS.ErrnoException;
  if (fullDisk.includes(code)) {
    const place = path === undefined ? "" : ` of ${path}`;
    return `gleaner: The disk${place} is full.\n         Free some space, and start again.`;
  }
  if (error instanceof Error) return `gleaner: ${error.stack ?? error.message}`;
  return `gleaner: ${String(error)}`;
}
