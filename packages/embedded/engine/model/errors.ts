export type StoreProblem = "locked" | "corrupt" | "foreign" | "newer_format" | "unreachable";

/** The database file cannot be used. The message is for the person who runs the backend: it says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** A snapshot that can no longer be rebuilt: begin again at a newer one. */
export class SnapshotTooOldError extends Error {
  override readonly name = "SnapshotTooOldError";

  constructor(snapshot: bigint, oldest: bigint) {
    super(
      `The snapshot ${snapshot} is no longer retained (the oldest is ${oldest}). Run again on a newer one.`,
    );
  }
}

/** A write did not reach the disk. Nothing is accepted any more, since memory is ahead of the file. */
export class EngineFailedError extends Error {
  override readonly name = "EngineFailedError";

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const remedy =
      "Check that the disk has room and is writable, then restart: all acknowledged writes are there.";
    super(`The database file could not be written (${reason}). ${remedy}`, { cause });
  }
}

export class EngineClosedError extends Error {
  override readonly name = "EngineClosedError";

  constructor() {
    super("The engine is closed.");
  }
}

/** Refused as Convex refuses it: a query names an index that the schema does not declare. */
export class IndexNotFoundError extends Error {
  override readonly name = "IndexNotFoundError";

  constructor(table: string, index: string) {
    super(`Index ${table}.${index} not found.`);
  }
}

/** A write to an id under which there is no document. The words are Convex's. */
export class DocumentNotFoundError extends Error {
  override readonly name = "DocumentNotFoundError";

  constructor(write: "Update" | "Delete", id: string) {
    super(`${write} on nonexistent document ID ${id}`);
  }
}
