import { errorMessage, isSystemError } from "../../values/errors.ts";
import { StoreError } from "../model/errors.ts";

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const sqliteCodes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** Explains a failure to open `path` to the operator. */
export function openingError(path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (isSystemError(error)) return cannotOpen(path, error);
  switch (primaryCode(error)) {
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return new StoreError(
        "locked",
        `The database ${path} is in use by another process. Stop that one, or give this one another data folder.`,
        error,
      );
    case sqliteCodes.notADatabase:
    case sqliteCodes.corrupt:
      return new StoreError(
        "corrupt",
        `The database ${path} is damaged. Move it away (with its -wal file) to start with an empty database, or restore a backup: ` +
          "`gleaner restore FILE`, then start again.",
        error,
      );
    case sqliteCodes.cannotOpen:
    case sqliteCodes.readonly:
      return cannotOpen(path, error);
    default:
      return new StoreError(
        "unreachable",
        `The database ${path} cannot be opened: ${errorMessage(error)}.`,
        error,
      );
  }
}

/** Whether SQLite reports a damaged file. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase;
}

/** Whether SQLite found no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === sqliteCodes.full;
}

function cannotOpen(path: string, error: unknown): StoreError {
  return new StoreError(
    "unreachable",
    `The database ${path} cannot be opened for writing. Check that its folder exists and is writable.`,
    error,
  );
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}
