/** Something that the person at the terminal can mend: one sentence of what is wrong, one of what to do. */
export class LaunchError extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = "LaunchError";
    this.remedy = remedy;
  }
}

/** How an error is shown: a LaunchError in two lines, anything else with its stack, since it is our bug. */
export function explain(error: unknown): string {
  if (error instanceof LaunchError) return `gleaner: ${error.message}\n         ${error.remedy}`;
  if (error instanceof Error) return `gleaner: ${error.stack ?? error.message}`;
  return `gleaner: ${String(error)}`;
}
