export const EXIT_FAILED = 1;
/** Bad arguments, as the shell's own tools report them. */
export const EXIT_USAGE = 2;
/** Nothing answers where the deployment should be, or no donor runs. */
export const EXIT_UNREACHABLE = 3;

/** One command of `gleaner`. */
export type Verb = {
  readonly summary: string;
  readonly usage: string;
  /** Rejects with CommandError. */
  readonly run: (args: readonly string[]) => Promise<void>;
};

/** Why a command did not do what it was told, in a sentence for who typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, exitCode = EXIT_FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}
