import type { FileStore } from "../storage/file-store.ts";

/** The stored files, for those who read what a snapshot has of them. */
export type FilesInUse = {
  readonly store: FileStore;
  /** Keeps the bytes of deleted files until the returned function is called. */
  readonly hold: () => Promise<() => void>;
};
