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

/**
 * Outcome of the last restore; `undo` is the path of the state before it. `carried`: what the app kept of that state, see
 * carry-over.ts. "none": the app keeps nothing. "unknown": not all of that state could be read.
 * `revoked`: how many secrets the app revoked, if the operator asked for that.
 */
export type RestoreOutcome =
  | {
      readonly id: string;
      readonly kind: "done";
      readonly undo: string | null;
      readonly carried?: "none" | "all" | "unknown";
      readonly revoked?: RevokedCounts;
    }
  | { readonly id: string; readonly kind: "failed"; readonly reason: string };

/** Numbers by the names of the app's kinds of secrets. */
export type RevokedCounts = { readonly [kind: string]: number };

/** The content of the file of `carryOverFile` if the app is to revoke all secrets of the backup. */
export const revokeAllMark = "revoke all";

const idFile = "restore-id";
/** Exists if the app is to revoke all secrets of the backup. */
const revokeAllFile = "restore-revoke-all";
/** Holds the reason why the backend did not start with the restored state. */
const failureFile = "restore-failure";

/** Everything is beside the data file, on the same disk, so that a rename is enough. */
const pathsOf = (dataFile: string) => ({
  pending: `${dataFile}.restore`,
  replaced: `${dataFile}.before-restore`,
  replacing: `${dataFile}.before-restore.part`,
  outcome: `${dataFile}.restored.json`,
  carryOver: `${dataFile}.carry-over`,
  files: filesFolderOf(dataFile),
});

/** The folder in which a backup is unpacked before it becomes pending. */
export function unpackFolderOf(dataFile: string): string {
  return `${pathsOf(dataFile).pending}.part`;
}

/** This file exists from a restore until the app has kept its part of the replaced state. */
export function carryOverFile(dataFile: string): string {
  return pathsOf(dataFile).carryOver;
}

/** Adds to the outcome of the last restore what the app kept of the replaced state, and what it revoked. */
export function recordCarried(
  dataFile: string,
  carried: "all" | "unknown",
  revoked: RevokedCounts | null,
): void {
  const outcome = readOutcome(dataFile);
  if (outcome?.kind !== "done") return;
  writeOutcome(dataFile, { ...outcome, carried, ...(revoked === null ? {} : { revoked }) });
}

/** The folder in which a restore keeps the state before it. */
export function keptStatePath(dataFile: string): string {
  return pathsOf(dataFile).replaced;
}

/** The path of the state before the last restore, or null. */
export function replacedStateOf(dataFile: string): string | null {
  const replaced = keptStatePath(dataFile);
  return existsSync(join(replaced, database)) ? replaced : null;
}

type PendingOptions = {
  /** Why the backend could not start with the restored state, if this state is to replace it. */
  readonly failure?: string | null;
  /** Whether the app is to revoke all secrets of this state. */
  readonly revokeAll?: boolean;
};

/** Marks an unpacked state as pending. The next start applies it, even after a crash. */
export function makePending(
  dataFile: string,
  folder: string,
  id: string,
  { failure = null, revokeAll = false }: PendingOptions = {},
): void {
  const { pending } = pathsOf(dataFile);
  mkdirSync(join(folder, filesFolder), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, idFile), id, { flush: true });
  if (failure !== null) writeFileSync(join(folder, failureFile), failure, { flush: true });
  if (revokeAll) writeFileSync(join(folder, revokeAllFile), "", { flush: true });
  rmSync(pending, { recursive: true, force: true });
  renameSync(folder, pending);
  syncFolder(dirname(dataFile));
}

/**
 * Applies a pending state, if any, and keeps the present one. Call it before the data file is opened. It may be
 * interrupted anywhere and repeated: each step checks what is still to be done.
 */
export function completeRestore(dataFile: string): void {
  const { pending, replaced, replacing, files, carryOver } = pathsOf(dataFile);
  if (!existsSync(pending)) return;
  const id = readIfThere(join(pending, idFile)) ?? "";
  const failure = readIfThere(join(pending, failureFile));
  const mark = existsSync(join(pending, revokeAllFile)) ? revokeAllMark : id;
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
  // A state that could not start has changed nothing that its predecessor should keep.
  if (failure === null) writeFileSync(carryOver, mark, { flush: true, mode: 0o600 });
  else rmSync(carryOver, { force: true });
  // Write this before requests are answered: clients that waited for the start ask for it at once.
  writeOutcome(
    dataFile,
    failure === null
      ? { id, kind: "done", undo: replacedStateOf(dataFile), carried: "none" }
      : { id, kind: "failed", reason: failure },
  );
  rmSync(pending, { recursive: true, force: true });
}

/**
 * Makes the state before the last restore pending. False if no such state exists.
 * @param failure why the backend could not start with the restored state, if that is the reason
 */
export function undoRestore(dataFile: string, id: string, failure: string | null = null): boolean {
  const kept = replacedStateOf(dataFile);
  if (kept === null) return false;
  makePending(dataFile, kept, id, { failure });
  return true;
}

function writeOutcome(dataFile: string, outcome: RestoreOutcome): void {
  const { outcome: file } = pathsOf(dataFile);
  writeFileSync(`${file}.part`, JSON.stringify(outcome), { flush: true, mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** Returns the outcome of the last restore; null if there was no restore. */
export function readOutcome(dataFile: string): RestoreOutcome | null {
  const { outcome } = pathsOf(dataFile);
  if (!existsSync(outcome)) return null;
  // Only this program writes the file, and it writes it atomically.
  return JSON.parse(readFileSync(outcome, "utf8")) as RestoreOutcome;
}

/** Moves `present` to `kept`, and `incoming` to its place. */
function swapIn(incoming: string, present: string, kept: string): void {
  if (!existsSync(incoming)) return;
  if (existsSync(present) && !existsSync(kept)) {
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    // A damaged database may have left its WAL: move both together.
    if (existsSync(`${present}-wal`)) renameSync(`${present}-wal`, `${kept}-wal`);
    renameSync(present, kept);
  }
  renameSync(incoming, present);
}

/**
 * Clients know the time of the last commit that they saw, and wait for a later one. So the restored state
 * becomes the newest commit, later than any commit of the replaced state.
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
    // The present database may be damaged: perhaps that is why it is replaced. Use the clock then.
    return 0n;
  } finally {
    db?.close();
  }
}

function lastTimestampIn(db: DatabaseSync): bigint {
  const statement = db.prepare("SELECT value FROM meta WHERE name = 'last_ts'");
  statement.setReadBigInts(true);
  const stored = (statement.get()?.["value"] as bigint | undefined) ?? 0n;
  const logged = lastLoggedIn(db);
  return logged > stored ? logged : stored;
}

/** The newest timestamp in the log of a process that was killed. 0 without a log, as in files of format 2. */
function lastLoggedIn(db: DatabaseSync): bigint {
  const hasLog = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log'").get() !== undefined;
  if (!hasLog) return 0n;
  const statement = db.prepare("SELECT max(ts) AS ts FROM log");
  statement.setReadBigInts(true);
  return (statement.get()?.["ts"] as bigint | null | undefined) ?? 0n;
}

function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** Makes renames survive a power cut. Windows journals them by itself. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
