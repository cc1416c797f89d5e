import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallAnswer, CallArgument, CallOf } from "../../app/contract/donor-calls.ts";
import { defaultDataFolder, desktopFolder } from "../../launch/core/paths.ts";
import { callDonor } from "../../main/face/local-socket/client.ts";
import { isFolderLocked } from "../../main/store/folder-lock.ts";
import { CommandError, exitUnreachable } from "../command/command.ts";

export const donorOptions = {
  data: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const donorUsage = `  --data FOLDER          the donor's data folder (default: GLEANER_DATA, else the folder of \`npm start\` or of the
                         desktop program, whichever runs)
  --json                 print the answer as JSON
Exit codes: 0 done, 1 refused or failed, 2 wrong arguments, 3 no donor runs.`;

export type DonorFlags = { readonly data?: string | undefined; readonly json: boolean };

/**
 * Calls the donor that the flags name, or the running one. Throws a CommandError if no donor runs, or if it refuses.
 */
export async function askDonor<Name extends CallOf<"terminal">>(
  flags: DonorFlags,
  name: Name,
  argument: CallArgument<Name>,
  withinMs?: number,
): Promise<CallAnswer<Name>> {
  const answer = await askIfRunning(flags, name, argument, withinMs);
  if (answer !== undefined) return answer;
  throw new CommandError(
    `No donor runs here (looked in ${donorFolders(flags.data, process.env).join(" and ")}). Start one with ` +
      "`gleaner donate --backend URL`, or name its data folder with --data.",
    exitUnreachable,
  );
}

/** A donor that starts on a busy computer answers within that time. */
const startsWithinMs = 15_000;

/** The same, but undefined if no donor runs. */
export async function askIfRunning<Name extends CallOf<"terminal">>(
  flags: DonorFlags,
  name: Name,
  argument: CallArgument<Name>,
  withinMs?: number,
): Promise<CallAnswer<Name> | undefined> {
  const until = Date.now() + startsWithinMs;
  for (;;) {
    const folders = donorFolders(flags.data, process.env);
    for (const folder of folders) {
      const outcome = await callDonor(folder, name, argument, withinMs);
      if (outcome.kind === "ok") return outcome.value;
      if (outcome.kind === "refused") throw new CommandError(outcome.message);
      if (outcome.kind === "failed") throw new CommandError(outcome.why);
    }
    // A donor that is starting has its folder, and answers a moment later.
    const held = await Promise.all(folders.map(isFolderLocked));
    if (!held.includes(true) || Date.now() > until) return undefined;
    await sleep(100);
  }
}

/**
 * Folders where a donor may keep its data if none is named: the folder of `npm start` and `gleaner donate`, then the desktop
 * program's. An installed command knows only the latter.
 */
export function donorFolders(data: string | undefined, env: NodeJS.ProcessEnv): readonly string[] {
  const named = data ?? env["GLEANER_DATA"];
  if (named !== undefined) return [donorFolderIn(resolve(named))];
  const own = [defaultDataFolder(env), desktopFolder(env)].map(donorFolderIn);
  return own.filter((folder, index) => own.indexOf(folder) === index);
}

/** Next to a backend, the donor has its own folder within the data folder. */
function donorFolderIn(folder: string): string {
  const inner = join(folder, "donor");
  return existsSync(inner) ? inner : folder;
}
