export const EXIT_FAILED = 1;
/** Bad arguments. Shell tools use the same code. */
export const EXIT_USAGE = 2;
/** The deployment does not answer, or no donor runs. */
export const EXIT_UNREACHABLE = 3;

/** One command of `gleaner`. */
export type Verb = {
  readonly summary: string;
  readonly usage: string;
  /** Rejects with CommandError. */
  readonly run: (args: readonly string[]) => Promise<void>;
};

/** Why a command failed, in a sentence for the person who typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, exitCode = EXIT_FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}
