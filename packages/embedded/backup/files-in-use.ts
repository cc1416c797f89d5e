import type { FileStore } from "../storage/file-store.ts";

/** The stored files, for reading those that a snapshot names. */
export type FilesInUse = {
  readonly store: FileStore;
  /** Keeps the contents of deleted files until the returned function is called. */
  readonly hold: () => Promise<() => void>;
};
