import type { ParseArgsOptionsConfig } from "node:util";

export const exitFailed = 1;
/** Bad arguments. Shell tools use the same code. */
export const exitUsage = 2;
/** The deployment does not answer, or no donor runs. */
export const exitUnreachable = 3;
/** Ctrl-C. Shells use the same code. */
export const exitInterrupted = 130;

/** One command of `gleaner`. */
export type Verb = {
  readonly usage: string;
  /** Those that it parses. Its usage describes each. */
  readonly options: ParseArgsOptionsConfig;
  /** The words that its first argument may be, such as `get` or `list`. */
  readonly actions?: readonly string[];
  /** Rejects with CommandError. */
  readonly run: (args: readonly string[]) => Promise<void>;
};

/** The commands by name, in the order of the help text. `load` imports the command's module, so that only one is loaded. */
export type Verbs = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Verb> }>
>;

/** Commands for one kind of person. */
export type VerbGroup = { readonly title: string; readonly verbs: Verbs };

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
