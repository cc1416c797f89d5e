import { type ModelPieces, type OfferedModel, pieceBytesFor } from "../../app/models/catalog-entry.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import { stampOf } from "../store/verify-file.ts";
import { ByteRate } from "./byte-rate.ts";
import { diskError, Download, type DownloadEnd } from "./download/download.ts";
import type { DownloadTimes } from "./download/download-times.ts";
import { InternetSource, type InternetTimes } from "./download/internet/internet-source.ts";
import type { Neighbors } from "./download/neighbors.ts";
import { PartFile } from "./download/part-file.ts";
import { revertToPart } from "./download/revert-to-part.ts";
import { modelPath, partPath } from "./model-paths.ts";

type ActiveDeps = {
  readonly folder: string;
  readonly model: OfferedModel;
  readonly url: URL;
  /**
   * Resolves to the hashes of the file's pieces, or null if the organization has none. Rejects if it is
   * unreachable.
   */
  readonly pieces: () => Promise<ModelPieces | null>;
  readonly neighbors: (pieceBytes: number) => Neighbors | null;
  readonly internetHold: () => WaitReason | null;
  readonly onBytes: (bytes: number, from: "internet" | "office") => Promise<void>;
  readonly onProgress: () => void;
  /** Called when the file is verified and about to be moved to its place. Record it here. */
  readonly beforeMove: (pieceBytes: number) => Promise<void>;
  readonly times: DownloadTimes;
  readonly internetTimes?: InternetTimes;
  /** For tests: allows a source on loopback. */
  readonly localSources: boolean;
};

/** The end of a download. After `complete` the file is at `path`. */
export type ActiveEnd =
  | Exclude<DownloadEnd, { kind: "complete" }>
  | { readonly kind: "complete"; readonly path: string; readonly pieceBytes: number };

/** The current download, from its part file to its place. */
export class ActiveDownload {
  readonly model: OfferedModel;
  readonly #deps: ActiveDeps;
  readonly #stop = new AbortController();
  readonly #rate = new ByteRate();
  #part: PartFile | null = null;
  #download: Download | null = null;
  readonly ended: Promise<ActiveEnd>;

  constructor(deps: ActiveDeps) {
    this.model = deps.model;
    this.#deps = deps;
    this.ended = this.#run();
  }

  get part(): PartFile | null {
    return this.#part;
  }

  get heldBytes(): number {
    return this.#part?.heldBytes ?? 0;
  }

  get bytesPerSecond(): number {
    return this.#rate.at(performance.now());
  }

  get fetching(): ReadonlySet<number> {
    return this.#download?.fetching ?? new Set();
  }

  /** Resolves when nothing is written anymore. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #run(): Promise<ActiveEnd> {
    try {
      return await this.#fetchAndMove();
    } catch (error) {
      return diskError(error);
    }
  }

  async #fetchAndMove(): Promise<ActiveEnd> {
    const { folder, model, url, internetTimes, localSources } = this.#deps;
    let pieces: ModelPieces | null;
    try {
      pieces = await this.#deps.pieces();
    } catch {
      return { kind: "waiting", why: "offline", detail: null, retryAfterMs: null };
    }
    if (this.#stop.signal.aborted) return { kind: "stopped" };
    const pieceBytes = pieces?.pieceBytes ?? pieceBytesFor(model.sizeBytes);
    const path = modelPath(folder, model.sha256);
    const stray = { ...model, pieceBytes };
    // The index was lost but the file exists: keep its valid pieces.
    if ((await stampOf(path)) !== null) await revertToPart(path, partPath(folder, model.sha256), stray);
    const part = await PartFile.open(partPath(folder, model.sha256), {
      sha256: model.sha256,
      sizeBytes: model.sizeBytes,
      source: model.source,
      pieceBytes,
      pieceHashes: pieces?.pieceHashes ?? null,
    });
    const internet = new InternetSource(url, model.sizeBytes, { times: internetTimes, localSources });
    this.#part = part;
    try {
      if (part.failedAt !== null && part.failedAt + forgiveAfterMs < Date.now()) await part.forgiveFailures();
      this.#download = new Download({
        ...this.#deps,
        part,
        internet,
        neighbors: this.#deps.neighbors(part.spec.pieceBytes),
        onBytes: async (bytes, from) => {
          this.#rate.count(bytes, performance.now());
          this.#deps.onProgress();
          await this.#deps.onBytes(bytes, from);
        },
      });
      const end = await this.#download.run(this.#stop.signal);
      if (end.kind !== "complete") return end;
      await this.#deps.beforeMove(part.spec.pieceBytes);
      await part.moveTo(path);
      return { kind: "complete", path, pieceBytes: part.spec.pieceBytes };
    } finally {
      internet.close();
      await part.close();
    }
  }
}

/** After this time a source with wrong hashes may have been repaired, in ms. */
export const forgiveAfterMs = 24 * 3_600_000;
