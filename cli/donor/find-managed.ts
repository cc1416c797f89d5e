import { findManagedSettings, type FoundSettings } from "../../main/managed/find-settings.ts";
import { StartRefusal } from "../../main/store/start-refusal.ts";
import { CommandError } from "../command/command.ts";

/** The managed settings of this computer. Throws a CommandError if they cannot be read. */
export function findManaged(): Promise<FoundSettings> {
  return findManagedSettings(process.platform, process.env).catch(refusalAsError);
}

/** The donor's refusals are written for people, too. */
export function refusalAsError(error: unknown): never {
  throw error instanceof StartRefusal ? new CommandError(error.message) : error;
}
