import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { filesFolderOf } from "../../storage/open-files.ts";
import { database, filesFolder } from "./backup-manifest.ts";

/** What became of the last restore; `undo` is where the state before it is kept. */
export type RestoreOutcome =
  | { readonly id: string; readonly kind: "done"; readonly undo: string | null }
  | { readonly id: string; readonly kind: "failed"; readonly reason: string };

const idFile = "restore-id";
/** Why the backend did not start with the state that this one replaces. */
const failureFile = "restore-failure";

/** Everything lies beside the data file, on one disk, so that a rename is all it takes. */
const pathsOf = (dataFile: string) => ({
  pending: `${dataFile}.restore`,
  replaced: `${dataFile}.before-restore`,
  replacing: `${dataFile}.before-restore.part`,
  outcome: `${dataFile}.restored.json`,
  files: filesFolderOf(dataFile),
});

/** Where a backup is unpacked before it is made pending. */
export function unpackFolderOf(dataFile: string): string {
  return `${pathsOf(dataFile).pending}.part`;
}

/** Where the state before the last restore is, or null. */
export function replacedStateOf(dataFile: string): string | null {
  const { replaced } = pathsOf(dataFile);
  return existsSync(join(replaced, database)) ? replaced : null;
}

/** Marks an unpacked state as the one that the next start takes. From here on it will be taken, come what may. */
export function makePending(
  dataFile: string,
  folder: string,
  id: string,
  failure: string | null = null,
): void {
  const { pending } = pathsOf(dataFile);
  mkdirSync(join(folder, filesFolder), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, idFile), id, { flush: true });
  if (failure !== null) writeFileSync(join(folder, failureFile), failure, { flush: true });
  rmSync(pending, { recursive: true, force: true });
  renameSync(folder, pending);
  syncFolder(dirname(dataFile));
}

/**
 * Takes a pending state, if there is one, before the data file is opened, and keeps the present one. May be broken
 * off anywhere and begun again: each step looks at what is still to be done.
 */
export function completeRestore(dataFile: string): void {
  const { pending, replaced, replacing, files } = pathsOf(dataFile);
  if (!existsSync(pending)) return;
  const id = readIfThere(join(pending, idFile)) ?? "";
  const failure = readIfThere(join(pending, failureFile));
  const incoming = join(pending, database);
  if (existsSync(incoming)) {
    moveForward(incoming, dataFile);
    swapIn(incoming, dataFile, join(replacing, database));
  }
  swapIn(join(pending, filesFolder), files, join(replacing, filesFolder));
  if (existsSync(join(replacing, database))) {
    mkdirSync(join(replacing, filesFolder), { recursive: true, mode: 0o700 });
    rmSync(replaced, { recursive: true, force: true });
    renameSync(replacing, replaced);
  }
  syncFolder(dirname(dataFile));
  // Before anybody can ask: clients that waited for the start do so at once.
  writeOutcome(
    dataFile,
    failure === null
      ? { id, kind: "done", undo: replacedStateOf(dataFile) }
      : { id, kind: "failed", reason: failure },
  );
  rmSync(pending, { recursive: true, force: true });
}

/**
 * Makes the state before the last restore pending. False when there is none.
 * @param failure why the backend does not start with what was restored, where that is the reason
 */
export function undoRestore(dataFile: string, id: string, failure: string | null = null): boolean {
  const kept = replacedStateOf(dataFile);
  if (kept === null) return false;
  makePending(dataFile, kept, id, failure);
  return true;
}

function writeOutcome(dataFile: string, outcome: RestoreOutcome): void {
  const { outcome: file } = pathsOf(dataFile);
  writeFileSync(`${file}.part`, JSON.stringify(outcome), { flush: true, mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** What became of the last restore; null when there was none. */
export function readOutcome(dataFile: string): RestoreOutcome | null {
  const { outcome } = pathsOf(dataFile);
  if (!existsSync(outcome)) return null;
  // Written by this program alone, in one piece.
  return JSON.parse(readFileSync(outcome, "utf8")) as RestoreOutcome;
}

/** Puts `incoming` in the place of `present`, which goes to `kept`. */
function swapIn(incoming: string, present: string, kept: string): void {
  if (!existsSync(incoming)) return;
  if (existsSync(present) && !existsSync(kept)) {
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    // A damaged database may have left its WAL: it belongs to it.
    if (existsSync(`${present}-wal`)) renameSync(`${present}-wal`, `${kept}-wal`);
    renameSync(present, kept);
  }
  renameSync(incoming, present);
}

/**
 * Clients know the time of the last commit that they saw, and wait for a later one. So the restored state, however
 * old, becomes the newest commit: later than any of the state that it replaces.
 */
function moveForward(incoming: string, present: string): void {
  const now = BigInt(Date.now()) * 1_000_000n;
  const seen = existsSync(present) ? lastTimestamp(present) : 0n;
  const db = new DatabaseSync(incoming);
  try {
    const own = lastTimestampIn(db);
    const newest = [now, seen + 1n, own].reduce((a, b) => (a > b ? a : b));
    db.prepare("UPDATE meta SET value = ? WHERE name = 'last_ts'").run(newest);
  } finally {
    db.close();
  }
}

function lastTimestamp(file: string): bigint {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(file);
    return lastTimestampIn(db);
  } catch {
    // It is replaced because it is damaged, perhaps. The clock has to do.
    return 0n;
  } finally {
    db?.close();
  }
}

function lastTimestampIn(db: DatabaseSync): bigint {
  const statement = db.prepare("SELECT value FROM meta WHERE name = 'last_ts'");
  statement.setReadBigInts(true);
  return (statement.get()?.["value"] as bigint | undefined) ?? 0n;
}

function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** Makes renames outlive a power cut; Windows journals them by itself. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
