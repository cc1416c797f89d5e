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

/** A LaunchError in two lines. Any other error with its stack, since it is a bug of ours. */
export function explain(error: unknown): string {
  if (error instanceof LaunchError) return `gleaner: ${error.message}\n         ${error.remedy}`;
  if (error instanceof Error) return `gleaner: ${error.stack ?? error.message}`;
  return `gleaner: ${String(error)}`;
}
