export const exitFailed = 1;
/** Bad arguments. Shell tools use the same code. */
export const exitUsage = 2;
/** The deployment does not answer, or no donor runs. */
export const exitUnreachable = 3;

/** One command of `gleaner`. */
export type Verb = {
  readonly usage: string;
  /** Rejects with CommandError. */
  readonly run: (args: readonly string[]) => Promise<void>;
};

/** Why a command failed, in a sentence for the person who typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, exitCode = exitFailed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Rejects with the error's message, as a CommandError. */
export function failCommand(error: unknown): never {
  throw new CommandError(error instanceof Error ? error.message : String(error));
}
