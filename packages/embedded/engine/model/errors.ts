import { errorMessage } from "../../values/errors.ts";

type StoreProblem = "locked" | "corrupt" | "foreign" | "newer_format" | "unreachable";

/** The database file cannot be used. The message tells the operator what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** The snapshot can no longer be rebuilt. Start again at a newer one. */
export class SnapshotTooOldError extends Error {
  override readonly name = "SnapshotTooOldError";

  constructor(snapshot: bigint, oldest: bigint) {
    super(
      `The snapshot ${snapshot} is no longer retained (the oldest is ${oldest}). Run again on a newer one.`,
    );
  }
}

/** A write did not reach the disk. Memory is ahead of the file, so nothing is accepted anymore. */
export class EngineFailedError extends Error {
  override readonly name = "EngineFailedError";

  constructor(cause: unknown) {
    const remedy =
      "Check that the disk has room and is writable, then restart: all acknowledged writes are there.";
    super(`The database file could not be written (${errorMessage(cause)}). ${remedy}`, { cause });
  }
}

export class EngineClosedError extends Error {
  override readonly name = "EngineClosedError";

  constructor() {
    super("The engine is closed.");
  }
}

/** A query names an index that the schema does not declare. Worded as in Convex. */
export class IndexNotFoundError extends Error {
  override readonly name = "IndexNotFoundError";

  constructor(table: string, index: string) {
    super(`Index ${table}.${index} not found.`);
  }
}

/** A write to an id without a document. Worded as in Convex. */
export class DocumentNotFoundError extends Error {
  override readonly name = "DocumentNotFoundError";

  constructor(write: "Update" | "Delete", id: string) {
    super(`${write} on nonexistent document ID ${id}`);
  }
}
