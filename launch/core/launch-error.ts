/** Something that the person at the terminal can mend: one sentence of what is wrong, one of what to do. */
export class LaunchError extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = "LaunchError";
    this.remedy = remedy;
  }
}

export function portTaken(port: number): LaunchError {
  return new LaunchError(
    `Port ${port} is taken by another program.`,
    "Stop that program (is Gleaner already running?), or choose other ports: npm start -- --port 4210",
  );
}

/** How an error is shown: a LaunchError in two lines, anything else with its stack, since it is our bug. */
export function explain(error: unknown): string {
  if (error instanceof LaunchError) return `gleaner: ${error.message}\n         ${error.remedy}`;
  if (error instanceof Error) return `gleaner: ${error.stack ?? error.message}`;
  return `gleaner: ${String(error)}`;
}
