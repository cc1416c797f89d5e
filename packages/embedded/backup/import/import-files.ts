import { randomUUID } from "node:crypto";
import type { DocumentJson, Transaction } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import { deleteFileRows, fileByStorageId, putFileRow } from "../../storage/file-rows.ts";
import { type FileStore, uuidPattern } from "../../storage/file-store.ts";
import { at, ImportFailure } from "../read/import-failure.ts";
import type { ImportSource } from "../read/import-source.ts";
import { type NewNumbers, renumberId } from "./renumber-ids.ts";

type TakenFile = {
  readonly id: string;
  readonly component: ComponentPath;
  readonly key: string;
  readonly sha256: string;
  readonly size: number;
};

const maxFileBytes = 16 * 1024 ** 3;

/** The files of one import. Their contents are stored first; rows name them only when the import is put in place. */
export class ImportFiles {
  readonly #store: FileStore;
  readonly #taken = new Map<string, TakenFile>();
  readonly #urls = new Map<string, string>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** Stores the contents of all files of an import. */
  async take(source: ImportSource): Promise<void> {
    for (const { id, component, open } of source.files) {
      if (this.#taken.has(id)) throw new ImportFailure(`The file ${id} is in the import twice.`);
      const key = randomUUID();
      const content = bounded((await open()) as AsyncIterable<Uint8Array>, id);
      const { sha256, size } = await this.#store.write(key, content);
      this.#taken.set(id, { id, component, key, sha256, size });
    }
  }

  /**
   * Makes the `_storage` document for a line of `_storage/documents.jsonl`. The file's content must have been
   * stored.
   */
  document(line: DocumentJson, file: string, lineNumber: number): DocumentJson {
    const { _id, _creationTime, sha256, contentType, internalId } = line;
    const taken = typeof _id === "string" ? this.#taken.get(_id) : undefined;
    if (taken === undefined)
      throw at(file, lineNumber, `the content of the file ${JSON.stringify(_id)} is missing.`);
    if (sha256 !== undefined && !isDigest(sha256, taken.sha256)) {
      throw at(file, lineNumber, `the content of the file ${taken.id} is not the one that was exported.`);
    }
    if (typeof internalId === "string" && uuidPattern.test(internalId)) this.#urls.set(taken.id, internalId);
    return {
      ...(_id === undefined ? {} : { _id }),
      ...(_creationTime === undefined ? {} : { _creationTime }),
      sha256: taken.sha256,
      size: taken.size,
      contentType: typeof contentType === "string" ? contentType : null,
    };
  }

  /**
   * Adds the rows that name the contents, in the commit that puts the tables in place. Releases the replaced
   * files.
   */
  place(
    transaction: Transaction,
    replaced: ReadonlySet<ComponentPath>,
    newNumbersOf: (component: ComponentPath) => NewNumbers,
  ): void {
    deleteFileRows(transaction, replaced);
    for (const { id, component, key } of this.#taken.values()) {
      const url = this.#urls.get(id);
      const isFree = url !== undefined && fileByStorageId(transaction, url) === null;
      const fileId = renumberId(id, newNumbersOf(component));
      putFileRow(transaction, { fileId, component, key, storageId: isFree ? url : randomUUID() });
    }
  }

  /** Releases the contents. If the import was not placed, no rows name them and they are removed. */
  async release(placed: boolean): Promise<void> {
    for (const { key } of this.#taken.values()) {
      this.#store.release(key);
      if (!placed) await this.#store.remove(key);
    }
  }
}

/** Digests in exports are base64 or hexadecimal. */
function isDigest(written: unknown, base64: string): boolean {
  return written === base64 || written === Buffer.from(base64, "base64").toString("hex");
}

async function* bounded(content: AsyncIterable<Uint8Array>, id: string): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxFileBytes) throw new ImportFailure(`The file ${id} is larger than 16 GiB.`);
    yield chunk;
  }
}
