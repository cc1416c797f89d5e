import { mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";
import { stampOf } from "../store/verify-file.ts";
import type { ModelCatalog } from "./catalog.ts";
import { discardPart } from "./download/discard-part.ts";
import { revertToPart } from "./download/revert-to-part.ts";
import { makeRoom, type Room, type StoredFile } from "./download/room.ts";
import { modelPath, partPath } from "./model-paths.ts";
import { type StoredModel, StoredModels } from "./stored-models.ts";

export type ModelDiskDeps = {
  readonly folder: string;
  readonly catalog: ModelCatalog;
  /** SHA-256 of models that run, load or are warm. */
  readonly running: () => ReadonlySet<string>;
  readonly log: Log;
};

const mib = 2 ** 20;
/** An offered model that was used within this time, in ms, is not deleted to make room. */
const freshMs = 14 * 24 * 3_600_000;

/** The models' folder: complete files, their size, and deletion. */
export class ModelDisk {
  readonly #deps: ModelDiskDeps;
  readonly stored: StoredModels;
  readonly #partBytes = new Map<string, number>();

  private constructor(deps: ModelDiskDeps, stored: StoredModels) {
    this.#deps = deps;
    this.stored = stored;
  }

  /**
   * Opens the folder of an earlier run. Files with an unchanged stamp are not read again; the runner verifies
   * before each load.
   */
  static async open(deps: ModelDiskDeps): Promise<ModelDisk> {
    const { folder, log } = deps;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const disk = new ModelDisk(deps, await StoredModels.open(folder, log));
    await disk.#find();
    return disk;
  }

  /** SHA-256 of complete, verified files. */
  get whole(): readonly string[] {
    return [...this.stored.files.keys()].filter((sha256) => this.wholeFile(sha256) !== null);
  }

  /** The path of a complete, verified file, or null. */
  wholeFile(sha256: string): { readonly path: string; readonly sizeBytes: number } | null {
    const found = this.stored.files.get(sha256);
    if (found === undefined || this.#deps.catalog.find({ ...found, sha256 }) === null) return null;
    return { path: modelPath(this.#deps.folder, sha256), sizeBytes: found.sizeBytes };
  }

  /** The size of a part file at the last check, in bytes. */
  partBytes(sha256: string): number {
    return this.#partBytes.get(sha256) ?? 0;
  }

  notePartBytes(sha256: string, bytes: number): void {
    this.#partBytes.set(sha256, bytes);
  }

  /**
   * Adds a downloaded, verified file.
   * @param path null if the file is about to be moved there. After a kill in between, the next start finds and
   * verifies it.
   */
  async keep(model: OfferedModel, path: string | null, pieceBytes: number): Promise<void> {
    const { modelId, sha256, sizeBytes, contextTokens } = model;
    const stamp = (path === null ? null : await stampOf(path))?.stamp ?? "";
    this.stored.files.set(sha256, {
      modelId,
      sizeBytes,
      contextTokens,
      stamp,
      pieceBytes,
      lastUsedAt: Date.now(),
    });
    this.stored.evicted.delete(sha256);
    this.#partBytes.delete(sha256);
    await this.stored.save();
  }

  /** Makes room for a model by deleting others, if that is allowed and enough. */
  async makeRoomFor(
    model: OfferedModel,
    offered: readonly OfferedModel[],
    rules: Rules,
  ): Promise<Room["kind"]> {
    const { folder } = this.#deps;
    const { bavail, bsize } = await statfs(folder);
    const part = await bytesOnDisk(partPath(folder, model.sha256));
    this.#partBytes.set(model.sha256, part);
    const room = makeRoom({
      comingBytes: Math.max(0, model.sizeBytes - part),
      partBytes: part,
      freeBytes: bavail * bsize,
      quotaBytes: rules.diskQuotaMb * mib,
      keepFreeBytes: rules.minFreeDiskMb * mib,
      // A deleted model displaces no other. Otherwise two models that do not fit together would displace each
      // other forever.
      files: this.#files(offered, this.stored.evicted.has(model.sha256) ? Infinity : freshMs),
    });
    if (room.kind === "ok") for (const sha256 of room.evict) await this.#evict(sha256);
    return room.kind;
  }

  /** If the files exceed the rules' limit, deletes the least recently used. */
  async keepQuota(offered: readonly OfferedModel[], rules: Rules): Promise<void> {
    const room = makeRoom({
      comingBytes: 0,
      partBytes: 0,
      freeBytes: Infinity,
      keepFreeBytes: 0,
      quotaBytes: rules.diskQuotaMb * mib,
      files: this.#files(offered, 0),
    });
    if (room.kind === "ok") for (const sha256 of room.evict) await this.#evict(sha256);
  }

  /** Deletes files that are no longer offered: begun downloads, and complete files that are not in the index. */
  async dropStrays(offered: readonly OfferedModel[]): Promise<void> {
    const { folder } = this.#deps;
    for (const name of await readdir(folder)) {
      const [, sha256, kind] = /^([0-9a-f]{64})\.(part|part\.json|gguf)$/.exec(name) ?? [];
      if (sha256 === undefined || offered.some((model) => model.sha256 === sha256)) continue;
      if (kind !== "gguf") await this.discardPart(sha256);
      else if (!this.stored.files.has(sha256)) await rm(modelPath(folder, sha256), { force: true });
    }
  }

  async discardPart(sha256: string): Promise<void> {
    await discardPart(partPath(this.#deps.folder, sha256));
    this.#partBytes.delete(sha256);
  }

  async delete(sha256: string): Promise<void> {
    if (!this.stored.files.has(sha256)) return;
    this.#deps.catalog.forget(sha256);
    await rm(modelPath(this.#deps.folder, sha256), { force: true });
    this.stored.files.delete(sha256);
    await this.stored.save();
  }

  /** Turns damaged files back into part files, so that their valid pieces are not fetched again. */
  async revertDamaged(offered: readonly OfferedModel[]): Promise<void> {
    const { catalog, folder } = this.#deps;
    for (const [sha256, file] of this.stored.files) {
      if (catalog.stateOf({ ...file, sha256 }) !== "corrupt") continue;
      const model = offered.find((one) => one.sha256 === sha256);
      this.#deps.log("warn", "models.damaged", { modelId: file.modelId });
      catalog.forget(sha256);
      this.stored.files.delete(sha256);
      await this.stored.save();
      if (model === undefined) await rm(modelPath(folder, sha256), { force: true });
      else await revertToPart(modelPath(folder, sha256), partPath(folder, sha256), { ...file, ...model });
    }
  }

  #files(offered: readonly OfferedModel[], keepMs: number): readonly StoredFile[] {
    const running = this.#deps.running();
    const since = Date.now() - keepMs;
    return [...this.stored.files].map(([sha256, { sizeBytes, lastUsedAt }]) => {
      const wanted = offered.some((model) => model.sha256 === sha256);
      const pinned = running.has(sha256) || (wanted && lastUsedAt > since);
      return { sha256, sizeBytes, lastUsedAt, wanted, pinned };
    });
  }

  async #evict(sha256: string): Promise<void> {
    this.#deps.log("info", "models.evicted", { modelId: this.stored.files.get(sha256)?.modelId ?? "" });
    this.stored.evicted.add(sha256);
    await this.delete(sha256);
  }

  async #find(): Promise<void> {
    const { folder } = this.#deps;
    const names = await readdir(folder);
    for (const name of names) {
      const lost = name.endsWith(".part.json") && !names.includes(name.slice(0, -".json".length));
      if (lost || name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
    }
    for (const [sha256, file] of this.stored.files) {
      const path = modelPath(folder, sha256);
      const found = await stampOf(path);
      if (found === null) this.stored.files.delete(sha256);
      else this.#offer(sha256, file, path, found.stamp);
    }
  }

  #offer(sha256: string, file: StoredModel, path: string, stamp: string): void {
    const { modelId, sizeBytes, contextTokens } = file;
    const model = { modelId, path, sha256, sizeBytes, contextTokens };
    if (stamp === file.stamp) this.#deps.catalog.adopt(model);
    else void this.#deps.catalog.add(model);
  }
}

/** The disk space of a file. A part file has holes. */
async function bytesOnDisk(path: string): Promise<number> {
  try {
    const { blocks, size } = await stat(path);
    return process.platform === "win32" ? size : Math.min(size, blocks * 512);
  } catch {
    return 0;
  }
}
