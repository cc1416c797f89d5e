import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { isInMemory } from "../../engine/store/private-file.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import {
  makePending,
  readOutcome,
  type RestoreOutcome,
  undoRestore,
  unpackFolderOf,
} from "./restore-swap.ts";
import { BackupRefusedError, unpackBackup } from "./unpack-backup.ts";

type RestoresDeps = {
  readonly dataFile: string;
  /** Closes and restarts the backend, which then applies the pending state. Null if that is impossible. */
  readonly restart: ((id: string) => void) | null;
};

export type RestoreRequest =
  | { readonly kind: "accepted"; readonly id: string; readonly manifest: BackupManifest | null }
  | { readonly kind: "refused"; readonly reason: string };

type RestoreOptions = {
  /** Whether the app is to revoke all secrets that the backup brings back. */
  readonly revokeAll?: boolean;
};

/** Verifies a backup and makes it pending: the next start applies it. Rejects with BackupRefusedError. */
export async function prepareRestore(
  dataFile: string,
  file: string,
  id: string,
  options: RestoreOptions = {},
): Promise<BackupManifest> {
  const folder = unpackFolderOf(dataFile);
  await rm(folder, { recursive: true, force: true });
  try {
    const manifest = await unpackBackup(file, folder);
    makePending(dataFile, folder, id, options);
    return manifest;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs restores, one at a time. Each backup is verified first; a restart of the backend then applies it. */
export class Restores {
  readonly #deps: RestoresDeps;
  #isBusy = false;

  constructor(deps: RestoresDeps) {
    this.#deps = deps;
  }

  /** Verifies a backup and makes it pending. Call `restart` after the answer was sent. */
  restore(file: string, options: RestoreOptions = {}): Promise<RestoreRequest> {
    return this.#once(async (id) => {
      try {
        return {
          kind: "accepted",
          id,
          manifest: await prepareRestore(this.#deps.dataFile, file, id, options),
        };
      } catch (error) {
        if (error instanceof BackupRefusedError) return { kind: "refused", reason: error.message };
        throw error;
      }
    });
  }

  /** Returns to the state before the last restore. */
  undo(): Promise<RestoreRequest> {
    return this.#once((id) => {
      const isThere = undoRestore(this.#deps.dataFile, id);
      return Promise.resolve(
        isThere
          ? { kind: "accepted", id, manifest: null }
          : { kind: "refused", reason: "There is nothing to undo: no state from before a restore is kept." },
      );
    });
  }

  restart(id: string): void {
    this.#deps.restart?.(id);
  }

  outcome(): RestoreOutcome | null {
    return readOutcome(this.#deps.dataFile);
  }

  async #once(body: (id: string) => Promise<RestoreRequest>): Promise<RestoreRequest> {
    const { dataFile, restart } = this.#deps;
    if (isInMemory(dataFile) || restart === null) {
      return {
        kind: "refused",
        reason: "This backend cannot restart itself, so it cannot restore.",
      };
    }
    if (this.#isBusy) return { kind: "refused", reason: "Another restore is under way." };
    this.#isBusy = true;
    const result = await body(randomUUID()).catch((error: unknown) => {
      this.#isBusy = false;
      throw error;
    });
    // After an accepted restore, refuse others until the backend has restarted.
    this.#isBusy = result.kind === "accepted";
    return result;
  }
}
