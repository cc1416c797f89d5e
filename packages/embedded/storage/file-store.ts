import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { measured } from "./measured.ts";
import { nullIfMissing, readBlob } from "./read-blob.ts";

/** Readable only by the owner, like the data file. */
const privateFile = 0o600;
const privateFolder = 0o700;
/** Unfinished files have names that no key can have. */
const partialSuffix = ".part";
export const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Written = {
  /** Base64, as in the `_storage` table. */
  readonly sha256: string;
  readonly size: number;
};

/** The bytes to read, both ends included. */
type ByteRange = { readonly start: number; readonly end: number };

/** The bytes of stored files by key: a secret UUID in the file's row. A key's bytes never change. */
export interface FileStore {
  /** Streams the bytes. The stream fails when there are none. */
  read(key: string, range?: ByteRange): Readable;
  /** The bytes as a Blob, or null. A large Blob reads them lazily, and fails if the file was deleted meanwhile. */
  readAsBlob(key: string, type: string): Promise<Blob | null>;
  /** The file with the bytes, for a process of an action. */
  pathOf(key: string): string;
  /** Size in bytes; null when the key does not exist. */
  sizeOf(key: string): Promise<number | null>;
  /**
   * Writes to a temporary name, syncs and renames: when this resolves, all bytes are on disk. They are kept until
   * `release`, even without a row; after a crash they are swept. Rejects with the source's or the disk's error, and
   * then leaves nothing. Is done with a chunk of the source before it takes the next one.
   */
  write(key: string, source: AsyncIterable<Uint8Array>): Promise<Written>;
  /** Call when the row with this key is durable, or will never exist. */
  release(key: string): void;
  /** Whether `write` has begun and `release` has not been called. */
  isPending(key: string): boolean;
  /** Removes the bytes, if they exist. */
  remove(key: string): Promise<void>;
  /** The keys of all complete files. */
  keys(): Promise<readonly string[]>;
  /** Removes the files of interrupted writes. */
  removePartial(): Promise<void>;
}

/** Opens the folder, creating it if missing. Rejects with the file system's error. */
export async function openFileStore(folder: string): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: privateFolder });
  return new FolderStore(folder);
}

class FolderStore implements FileStore {
  readonly #folder: string;
  readonly #pending = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  read(key: string, range?: ByteRange): Readable {
    return createReadStream(this.pathOf(key), range);
  }

  readAsBlob(key: string, type: string): Promise<Blob | null> {
    return readBlob(this.pathOf(key), type);
  }

  async sizeOf(key: string): Promise<number | null> {
    const found = await stat(this.pathOf(key)).catch(nullIfMissing);
    return found === null ? null : found.size;
  }

  async write(key: string, source: AsyncIterable<Uint8Array>): Promise<Written> {
    const path = this.pathOf(key);
    const partial = path + partialSuffix;
    if (this.#pending.has(key) || (await this.sizeOf(key)) !== null)
      throw new Error(`${key} exists already.`);
    this.#pending.add(key);
    const bytes = measured(source);
    try {
      await writeDurably(partial, bytes.content());
      await rename(partial, path);
      await syncFolder(this.#folder);
    } catch (error) {
      await rm(partial, { force: true });
      await rm(path, { force: true });
      this.#pending.delete(key);
      throw error;
    }
    return { sha256: bytes.sha256("base64"), size: bytes.size() };
  }

  release(key: string): void {
    this.#pending.delete(key);
  }

  isPending(key: string): boolean {
    return this.#pending.has(key);
  }

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  async keys(): Promise<readonly string[]> {
    return (await readdir(this.#folder)).filter((name) => uuidPattern.test(name));
  }

  async removePartial(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.endsWith(partialSuffix) || this.#pending.has(name.slice(0, -partialSuffix.length))) continue;
      await rm(join(this.#folder, name), { force: true });
    }
  }

  pathOf(key: string): string {
    if (!uuidPattern.test(key)) throw new RangeError(`"${key}" is not a key of a stored file.`);
    return join(this.#folder, key);
  }
}

/** Creates a file with these bytes, and syncs it. Is done with a chunk before it takes the next one. */
async function writeDurably(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx", privateFile);
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.byteLength;) at += (await file.write(chunk, at)).bytesWritten;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs the folder, so that the rename survives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  // Windows can't open folders, and journals renames by itself.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
