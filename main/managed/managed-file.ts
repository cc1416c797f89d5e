import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
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
    if (!found.isFile()) throw new StartRefusal(startSentence("managed-not-a-file", path));
    if (ofRoot) {
      refuseForeign(path, found, "644");
      const folder = dirname(path);
      refuseForeign(folder, await stat(folder), "755");
    }
    if (found.size > mostBytes) throw new StartRefusal(startSentence("managed-too-large", path));
    // Some editors of Windows begin a file with a byte order mark.
    const value = parseJson((await file.readFile("utf8")).replace(/^\uFEFF/, ""));
    if (value === undefined) throw new StartRefusal(startSentence("managed-no-json", path));
    return value;
  } finally {
    await file.close();
  }
}

function refuseForeign(path: string, { uid, mode }: { uid: number; mode: number }, wanted: string): void {
  if (uid === 0 && (mode & 0o022) === 0) return;
  throw new StartRefusal(startSentence("managed-of-others", path, wanted));
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, "r");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new StartRefusal(startSentence("managed-unreadable", path, message), { cause: error });
  }
}
