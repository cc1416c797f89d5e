import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { StartRefusal } from "./start-refusal.ts";

/**
 * Turns a refusal of the file system into a `StartRefusal` that tells its person what to do. Returns any other
 * error as it is.
 */
export function refusalOfFolder(folder: string, error: unknown): unknown {
  if (error instanceof StartRefusal || !(error instanceof Error) || !("syscall" in error)) return error;
  const path = (error as NodeJS.ErrnoException).path ?? folder;
  if (!path.startsWith(folder)) return error;
  return new StartRefusal(startSentence("folder-unusable", path, error.message), { cause: error });
}
