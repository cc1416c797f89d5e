import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import type { CallAnswer, CallArgument, CallOf } from "../../app/contract/donor-calls.ts";
import { callDonor } from "../../main/face/local-socket/client.ts";
import { CommandError, EXIT_UNREACHABLE, EXIT_USAGE } from "../command/command.ts";
import { donorFolders } from "./folders.ts";

export const donorOptions = {
  data: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const donorUsage = `  --data FOLDER          the donor's data folder; without it GLEANER_DATA, or that of \`npm start\` or of the
                         desktop program, whichever runs
  --json                 print the answer as JSON
Exit codes: 0 done, 1 refused or failed, 2 wrong arguments, 3 no donor runs.`;

export type DonorFlags = { readonly data?: string | undefined; readonly json: boolean };

/** The arguments of a command; rejects what it does not know with its usage. */
export function readArguments<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
  positionals = 0,
) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: positionals > 0, strict: true });
    if (parsed.positionals.length > positionals) {
      throw new Error(`"${parsed.positionals[positionals] ?? ""}" is one argument too many.`);
    }
    return parsed;
  } catch (error) {
    throw usageError((error as Error).message, usage);
  }
}

export function usageError(message: string, usage: string): CommandError {
  return new CommandError(`${message}\n\n${usage}`, EXIT_USAGE);
}

/** Asks the donor that the flags name, or the one that runs. Throws a CommandError. */
export async function askDonor<Name extends CallOf<"terminal">>(
  flags: DonorFlags,
  name: Name,
  argument: CallArgument<Name>,
  withinMs?: number,
): Promise<CallAnswer<Name>> {
  const answer = await askIfRunning(flags, name, argument, withinMs);
  if (answer !== null) return answer;
  throw new CommandError(
    `No donor runs here (looked in ${donorFolders(flags.data, process.env).join(" and ")}). Start one with ` +
      "`gleaner donate --backend URL`, or name its data folder with --data.",
    EXIT_UNREACHABLE,
  );
}

/** The same; null when no donor runs. */
export async function askIfRunning<Name extends CallOf<"terminal">>(
  flags: DonorFlags,
  name: Name,
  argument: CallArgument<Name>,
  withinMs?: number,
): Promise<CallAnswer<Name> | null> {
  for (const folder of donorFolders(flags.data, process.env)) {
    const outcome = await callDonor(folder, name, argument, withinMs);
    if (outcome.kind === "ok") return outcome.value;
    if (outcome.kind === "refused") throw new CommandError(outcome.message);
    if (outcome.kind === "failed") throw new CommandError(outcome.why);
  }
  return null;
}
