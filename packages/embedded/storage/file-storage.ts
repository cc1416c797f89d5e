import { randomUUID } from "node:crypto";
import type { Engine, Transaction } from "../engine/model/types.ts";
import { transact } from "../engine/transact/transact.ts";
import { appComponent, type ComponentPath } from "../names/table-name.ts";
import { fileByStorageId, insertFile, type StoredFile } from "./file-rows.ts";
import type { FileStore } from "./file-store.ts";
import { checkUploadToken, issueUploadToken, type TokenCheck } from "./upload-token.ts";

export type FileStorageOptions = {
  readonly engine: Engine;
  readonly store: FileStore;
  /** The deployment's URL as clients reach it, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Signs upload URLs. */
  readonly secret: string;
  /** Largest file in bytes. */
  readonly maxFileBytes: number;
  /** Called before a Blob is made of a file, or stored. */
  readonly beforeBlob: () => void;
};

type NewFile = {
  readonly component: ComponentPath;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly contentType: string | null;
  /** Base64, if the sender knows it. */
  readonly expectedSha256: string | null;
};

type Stored =
  | { readonly kind: "stored"; readonly id: string }
  | { readonly kind: "too large"; readonly limit: number }
  | { readonly kind: "other digest"; readonly expected: string; readonly actual: string };

/** Implements `ctx.storage` and its endpoints. */
export class FileStorage {
  readonly #options: FileStorageOptions;

  constructor(options: FileStorageOptions) {
    this.#options = options;
  }

  get maxFileBytes(): number {
    return this.#options.maxFileBytes;
  }

  get store(): FileStore {
    return this.#options.store;
  }

  /** The file as a Blob, for an action; null if its bytes are gone. */
  async blobOf({ key, contentType }: StoredFile): Promise<Blob | null> {
    this.#options.beforeBlob();
    return await this.store.readAsBlob(key, contentType ?? "");
  }

  /** Stores a Blob of an action, as `save` does. */
  async saveBlob(file: NewFile): Promise<Stored> {
    this.#options.beforeBlob();
    return await this.save(file);
  }

  uploadUrl(component: ComponentPath, now: number): string {
    const { baseUrl, secret } = this.#options;
    return `${baseUrl()}/api/storage/upload?token=${issueUploadToken(secret, component, now)}`;
  }

  checkToken(token: string, now: number): TokenCheck {
    return checkUploadToken(this.#options.secret, token, now);
  }

  urlOf({ component, storageId }: StoredFile): string {
    const query = component === appComponent ? "" : `?component=${encodeURIComponent(component)}`;
    return `${this.#options.baseUrl()}/api/storage/${storageId}${query}`;
  }

  /**
   * Writes the bytes, then commits the row, so that every row has its bytes. Rejects with the error of the source,
   * the disk or the engine; nothing is stored then.
   */
  async save({ component, bytes, contentType, expectedSha256 }: NewFile): Promise<Stored> {
    const { store, maxFileBytes } = this.#options;
    const key = randomUUID();
    try {
      const { sha256, size } = await store.write(key, boundedBytes(bytes, maxFileBytes));
      if (expectedSha256 !== null && expectedSha256 !== sha256) {
        await store.remove(key);
        return { kind: "other digest", expected: expectedSha256, actual: sha256 };
      }
      const row = { component, storageId: randomUUID(), key, sha256, size, contentType };
      const id = await this.commit((transaction) => insertFile(transaction, row));
      return { kind: "stored", id };
    } catch (error) {
      if (error instanceof FileTooLargeError) return { kind: "too large", limit: maxFileBytes };
      throw error;
    } finally {
      // Without a row, the next sweep removes the bytes. Only the sweep can tell whether a failed commit reached
      // the disk.
      store.release(key);
    }
  }

  /** The file of a URL, as of the durable state. */
  fileOfUrl(storageId: string, component: ComponentPath): StoredFile | null {
    const file = this.read((transaction) => fileByStorageId(transaction, storageId));
    return file?.component === component ? file : null;
  }

  /** Reads the durable state. */
  read<T>(look: (transaction: Transaction) => T): T {
    const { engine } = this.#options;
    const transaction = engine.begin({ snapshot: engine.durable() });
    try {
      return look(transaction);
    } finally {
      engine.discard(transaction);
    }
  }

  /** Commits in a transaction of its own, for callers without one. Rejects when every retry conflicted. */
  commit<T>(body: (transaction: Transaction) => T): Promise<T> {
    return transact(this.#options.engine, body);
  }
}

/** The file exceeds the size limit. */
class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";

  constructor(limit: number) {
    super(`The file is larger than ${String(limit)} bytes.`);
  }
}

/** Passes bytes on; throws FileTooLargeError once there are more than `limit`. */
async function* boundedBytes(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) throw new FileTooLargeError(limit);
    yield chunk;
  }
}
