import { StartRefusal } from "./start-refusal.ts";

/**
 * What the file system refuses in the donor's folder, its person can do something about: then a `StartRefusal` that says
 * what. Any other error is returned as it is.
 */
export function refusalOfFolder(folder: string, error: unknown): unknown {
  if (error instanceof StartRefusal || !(error instanceof Error) || !("syscall" in error)) return error;
  const path = (error as NodeJS.ErrnoException).path ?? folder;
  if (!path.startsWith(folder)) return error;
  const words = `${path} cannot be used (${error.message}). Make room for it, or choose another folder.`;
  return new StartRefusal(words, { cause: error });
}
