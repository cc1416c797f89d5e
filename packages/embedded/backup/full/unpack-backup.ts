import { createWriteStream } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { formatVersion, readFormat } from "../../engine/store/file-format.ts";
import { measured } from "../../storage/measured.ts";
import { errorMessage, isSystemError } from "../../values/errors.ts";
import {
  type BackupEntry,
  type BackupManifest,
  database,
  filesFolder,
  manifestName,
  parseManifest,
} from "./backup-manifest.ts";

/** The file cannot be restored. Nothing was changed. */
export class BackupRefusedError extends Error {
  override readonly name = "BackupRefusedError";

  constructor(reason: string) {
    super(`The backup cannot be restored: ${reason}.`);
  }
}

const maxManifestBytes = 256 * 1024 * 1024;
/** Space to leave free on the disk, in bytes. */
const spareBytes = 64 * 1024 * 1024;

/** Checks every byte of a backup against its manifest. Rejects with BackupRefusedError. */
export async function verifyBackup(file: string): Promise<BackupManifest> {
  return readBackup(file, () => null);
}

/**
 * Unpacks a backup into a new folder. Checks every byte against its manifest, and the database. If it rejects
 * with BackupRefusedError, the caller removes the folder.
 */
export async function unpackBackup(file: string, folder: string): Promise<BackupManifest> {
  await mkdir(join(folder, filesFolder), { recursive: true, mode: 0o700 });
  const manifest = await readBackup(
    file,
    (name) => join(folder, name),
    async ({ entries }) => {
      const needed = entries.reduce((total, { size }) => total + size, spareBytes);
      const { bavail, bsize } = await statfs(dirname(folder));
      if (bavail * bsize < needed) {
        throw new BackupRefusedError(
          `it takes ${String(needed)} bytes, and the disk has ${String(bavail * bsize)} left`,
        );
      }
    },
  );
  checkDatabase(join(folder, database));
  return manifest;
}

type TargetOf = (name: string) => string | null;

async function readBackup(
  file: string,
  targetOf: TargetOf,
  before: (manifest: BackupManifest) => Promise<void> = () => Promise.resolve(),
): Promise<BackupManifest> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      throw new BackupRefusedError(`there is no file ${file}`);
    }
    throw new BackupRefusedError(`it is not a complete ZIP file (${errorMessage(error)})`);
  });
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const manifest = await readManifest(zip, entries.get(manifestName));
    await before(manifest);
    for (const expected of manifest.entries) {
      const entry = entries.get(expected.name);
      if (entry?.uncompressedSize !== expected.size)
        throw new BackupRefusedError(`${expected.name} is incomplete`);
      await readEntry(zip, entry, expected, targetOf(expected.name));
    }
    return manifest;
  } catch (error) {
    if (error instanceof BackupRefusedError || isSystemError(error)) throw error;
    throw new BackupRefusedError(`it is damaged (${errorMessage(error)})`);
  } finally {
    zip.close();
  }
}

async function readManifest(zip: ZipFile, entry: Entry | undefined): Promise<BackupManifest> {
  if (entry === undefined || entry.uncompressedSize > maxManifestBytes) {
    throw new BackupRefusedError("it has no manifest, so it is not a backup of this program");
  }
  const parsed = parseManifest(await text(await zip.openReadStreamPromise(entry)));
  if (parsed.kind === "refused") throw new BackupRefusedError(parsed.reason);
  return parsed.manifest;
}

async function readEntry(
  zip: ZipFile,
  entry: Entry,
  expected: BackupEntry,
  target: string | null,
): Promise<void> {
  const bytes = measured((await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>);
  if (target === null) for await (const _ of bytes.content());
  else await pipeline(bytes.content, createWriteStream(target, { flags: "wx", mode: 0o600, flush: true }));
  if (bytes.sha256("hex") !== expected.sha256) throw new BackupRefusedError(`${expected.name} is damaged`);
}

/** Throws BackupRefusedError unless the file is an intact database of this program's format or an older one. */
function checkDatabase(file: string): void {
  const db = new DatabaseSync(file);
  try {
    const format = readFormat(db);
    if (format.kind !== "ours") throw new BackupRefusedError("its database is from another program");
    if (format.version > formatVersion) {
      throw new BackupRefusedError("its database is from a newer version: update this program");
    }
    const result = db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    if (result !== "ok") throw new BackupRefusedError(`its database is damaged (${String(result)})`);
  } catch (error) {
    if (error instanceof BackupRefusedError) throw error;
    throw new BackupRefusedError(`its database is damaged (${errorMessage(error)})`);
  } finally {
    db.close();
  }
}
