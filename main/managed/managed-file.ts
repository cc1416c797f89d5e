import { type FileHandle, open } from "node:fs/promises";
import { parseJson } from "../../app/json.ts";
import { StartRefusal } from "../store/start-refusal.ts";

/** More than any settings need. */
const mostBytes = 256 * 1024;

type FileOptions = {
  /** Whether the file has to be root's. Otherwise a user could replace the settings of the computer's administrator. */
  readonly ofRoot: boolean;
};

/** The JSON in a file of settings, or null if there is no file. Throws a StartRefusal if it cannot be trusted or read. */
export async function readManagedFile(path: string, { ofRoot }: FileOptions): Promise<unknown> {
  const file = await openFile(path);
  if (file === null) return null;
  try {
    const { uid, mode, size } = await file.stat();
    if (ofRoot && (uid !== 0 || (mode & 0o022) !== 0)) {
      throw new StartRefusal(
        `${path} can be changed by others than the administrator. Run: sudo chown root ${path} && sudo chmod 644 ${path}`,
      );
    }
    const value = size > mostBytes ? undefined : parseJson(await file.readFile("utf8"));
    if (value === undefined) {
      throw new StartRefusal(
        `${path} is no JSON, or is too large. Your administrator has to mend it: gleaner managed checks it.`,
      );
    }
    return value;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, "r");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new StartRefusal(
      `${path} cannot be read (${message}). Ask your administrator to make it readable.`,
      {
        cause: error,
      },
    );
  }
}
