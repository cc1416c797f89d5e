import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJson } from "../../app/json.ts";
import { StartRefusal } from "../store/start-refusal.ts";

/** More than any settings need. */
const mostBytes = 256 * 1024;

type FileOptions = {
  /** Whether the file and its folder have to be root's. Otherwise a user could replace the administrator's settings. */
  readonly ofRoot: boolean;
};

/** The JSON in a file of settings, or null if there is no file. Throws a StartRefusal if it cannot be trusted or read. */
export async function readManagedFile(path: string, { ofRoot }: FileOptions): Promise<unknown> {
  const file = await openFile(path);
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new StartRefusal(`${path} is no file.`);
    if (ofRoot) {
      refuseForeign(path, found, "644");
      const folder = dirname(path);
      refuseForeign(folder, await stat(folder), "755");
    }
    if (found.size > mostBytes) throw new StartRefusal(`${path} is larger than 256 KiB.`);
    // Some editors of Windows begin a file with a byte order mark.
    const value = parseJson((await file.readFile("utf8")).replace(/^\uFEFF/, ""));
    if (value === undefined) {
      throw new StartRefusal(
        `${path} is no JSON. Your administrator has to mend it: gleaner managed checks it.`,
      );
    }
    return value;
  } finally {
    await file.close();
  }
}

function refuseForeign(path: string, { uid, mode }: { uid: number; mode: number }, wanted: string): void {
  if (uid === 0 && (mode & 0o022) === 0) return;
  throw new StartRefusal(
    `${path} can be changed by others than the administrator. Run: sudo chown root "${path}" && sudo chmod ${wanted} "${path}"`,
  );
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
