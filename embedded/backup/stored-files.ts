import type { Readable } from "node:stream";
import type { DocumentJson } from "../engine/types.ts";
import type { ComponentPath } from "../values/table-name.ts";

/** The contents of stored files, as exports, imports and backups need them. */
export interface StoredFiles {
  /** The content that a `_storage` document names. Rejects when it is gone. */
  open(document: DocumentJson): Promise<Readable>;
  /** Takes a content in, and says how the `_storage` document has to name it. */
  take(component: ComponentPath, content: Readable): Promise<TakenFile>;
  /** Removes contents that no document came to name. */
  discard(taken: readonly TakenFile[]): Promise<void>;
}

export type TakenFile = {
  /** Base64, as `_storage` documents have it. */
  readonly sha256: string;
  readonly size: number;
  /** Fields of the `_storage` document by which its content is found. */
  readonly fields: DocumentJson;
};
