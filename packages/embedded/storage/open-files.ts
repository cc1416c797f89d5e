import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInMemory } from "../engine/store/private-file.ts";
import { FileJanitor } from "./file-janitor.ts";
import { FileStorage, type FileStorageOptions } from "./file-storage.ts";
import { openFileStore } from "./file-store.ts";

type FilesOptions = Omit<FileStorageOptions, "store"> & {
  /** The engine's data file, or ":memory:". The files are in a folder beside it. */
  readonly dataFile: string;
  readonly onError: (error: unknown) => void;
};

export type Files = {
  readonly storage: FileStorage;
  readonly janitor: FileJanitor;
  /** Call before closing the engine, when no upload is running. */
  readonly close: () => Promise<void>;
};

/** The folder of a data file's stored files. */
export function filesFolderOf(dataFile: string): string {
  return `${dataFile}.files`;
}

/** Opens an engine's stored files. The caller starts the janitor after applying the schema. */
export async function openFiles({ dataFile, onError, ...options }: FilesOptions): Promise<Files> {
  const temporary = isInMemory(dataFile) ? await mkdtemp(join(tmpdir(), "files-")) : null;
  const store = await openFileStore(temporary ?? filesFolderOf(dataFile));
  const janitor = new FileJanitor({ engine: options.engine, store, onError });
  return {
    storage: new FileStorage({ ...options, store }),
    janitor,
    close: async () => {
      await janitor.close();
      if (temporary !== null) await rm(temporary, { recursive: true, force: true });
    },
  };
}
