import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { quoted } from "../../../launch/core/secret-output.ts";
import { CommandError, exitUsage } from "../../command/command.ts";
import { hashOfTable } from "./plan.ts";
import { claimRun, type RunSettings, type RunState, stateFolder } from "./run-state.ts";
import { newRun } from "./settings.ts";

/**
 * The state of the run that writes this output: a new one, or the one that is there. The output belongs to this process before
 * anything else is read. Rejects with CommandError.
 * @param given null: only a run that is there.
 */
export async function openRun(url: string, output: string, given: RunSettings | null): Promise<RunState> {
  const folder = stateFolder(output);
  const isThere = existsSync(folder);
  if (!isThere && given === null) throw noRun(folder);
  const found = await claimRun(output);
  if (found === null) {
    if (given === null) throw noRun(folder);
    try {
      if (existsSync(output)) {
        throw new CommandError(`${output} exists already. Name another file with --output.`, exitUsage);
      }
      return await newRun(url, given);
    } catch (error) {
      if (!isThere) await rm(folder, { recursive: true });
      throw error;
    }
  }
  if (given !== null && !isSame(given, found.settings)) {
    throw new CommandError(
      `${output} belongs to a run with another table, template or options. To continue that one: ${resumeCommand(output)}` +
        `\nFor a new run name another file with --output, or remove ${folder} and that file.`,
      exitUsage,
    );
  }
  if (found.url !== url) {
    throw new CommandError(
      `This run is at ${found.url}. Log in there to continue it: gleaner login --url ${found.url}`,
    );
  }
  if ((await hashOfTable(found.settings.input)) !== found.settings.inputSha256) {
    throw new CommandError(
      `${found.settings.input} has changed since the run began. Put it back, or begin a new run.`,
    );
  }
  return found;
}

function noRun(folder: string): CommandError {
  return new CommandError(
    `There is no run to continue in ${folder}. A run that is complete has no such folder.`,
    exitUsage,
  );
}

function isSame(one: RunSettings, other: RunSettings): boolean {
  return Object.entries(one).every(([name, value]) => other[name as keyof typeof other] === value);
}

export function resumeCommand(output: string): string {
  return `gleaner run --resume ${quoted(output)}`;
}
