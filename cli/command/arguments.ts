import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { CommandError, exitUsage } from "./command.ts";

/**
 * Parses the arguments of a command, with a maximum number of positionals. Throws a usage error for any other
 * argument.
 */
export function readArguments<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
  positionals = 0,
) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: positionals > 0, strict: true });
    if (parsed.positionals.length > positionals) {
      throw new Error(`Unexpected argument "${parsed.positionals[positionals] ?? ""}".`);
    }
    return parsed;
  } catch (error) {
    throw usageError((error as Error).message, usage);
  }
}

export function usageError(message: string, usage: string): CommandError {
  return new CommandError(`${message}\n\n${usage}`, exitUsage);
}
