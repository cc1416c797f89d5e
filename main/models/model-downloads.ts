import { type ModelPieces, type OfferedModel, pieceBytesFor } from "../../app/models/catalog-entry.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { Rules } from "../../app/policy/rules.ts";
import { ActiveDownload, type ActiveEnd, forgiveAfterMs } from "./active-download.ts";
import { defaultTimes, type DownloadTimes } from "./download/download-times.ts";
import { allowsLocalSources } from "./download/internet/source-connection.ts";
import { sourceUrl } from "./download/internet/source-url.ts";
import type { Neighbors } from "./download/neighbors.ts";
import { type DownloadError, DownloadErrors } from "./download-errors.ts";
import type { ModelDisk, ModelDiskDeps } from "./model-disk.ts";
import type { NetworkAllowance } from "./network-allowance.ts";

export type DownloadSources = {
  readonly pieces: (sha256: string) => Promise<ModelPieces | null>;
  /** Devices in the office with this file or its download. Null while sharing is off. */
  readonly neighbors: (model: OfferedModel, pieceBytes: number) => Neighbors | null;
  readonly times?: DownloadTimes;
  readonly environment?: NodeJS.ProcessEnv;
};

type ModelDownloadsDeps = Pick<ModelDiskDeps, "folder" | "catalog" | "log"> &
  DownloadSources & {
    readonly disk: ModelDisk;
    readonly network: NetworkAllowance;
    readonly onProgress: () => void;
    /** Called when a download has ended and its result is stored. */
    readonly onEnd: () => void;
  };

/** The pause until lack of disk space or of network budget is checked again, in ms. */
export const longPauseMs = 10 * 60_000;

/** Downloads the offered models that are not on the disk, one at a time. Remembers errors until the next try. */
export class ModelDownloads {
  readonly #deps: ModelDownloadsDeps;
  readonly #errors = new DownloadErrors();
  #offered: readonly OfferedModel[] = [];
  #active: ActiveDownload | null = null;

  constructor(deps: ModelDownloadsDeps) {
    this.#deps = deps;
  }

  get #environment(): NodeJS.ProcessEnv {
    return this.#deps.environment ?? process.env;
  }

  /** The organization's models. */
  get offered(): readonly OfferedModel[] {
    return this.#offered;
  }

  /** The current download, or null. */
  get active(): ActiveDownload | null {
    return this.#active;
  }

  offer(models: readonly OfferedModel[]): void {
    for (const { sha256, source } of this.#offered) {
      // A new source can be tried at once.
      if (models.some((model) => model.sha256 === sha256 && model.source !== source)) {
        this.#errors.forget(sha256);
      }
    }
    this.#offered = models;
    this.#errors.keepOnly(new Set(models.map(({ sha256 }) => sha256)));
  }

  isWanted(model: OfferedModel): boolean {
    const { disk, catalog } = this.#deps;
    return (
      model.source !== "bundled" &&
      this.#offered.some(({ sha256, source }) => sha256 === model.sha256 && source === model.source) &&
      !disk.stored.refused.has(model.sha256) &&
      catalog.stateOf(model) === "missing"
    );
  }

  /** The error that delays a download, or null. */
  errorOf(sha256: string): DownloadError | null {
    return this.#errors.of(sha256);
  }

  /** Lets a failed download be tried again at once. */
  forgetError(sha256: string): void {
    this.#errors.forget(sha256);
  }

  /** The time of the next retry by `performance.now()`. Infinity without one. */
  nextRetryAt(now: number): number {
    return this.#errors.nextAt(now);
  }

  /** Starts the next download, if a wanted model can be reached and fits on the disk. */
  async startNext(rules: Rules): Promise<void> {
    const { disk, log } = this.#deps;
    const now = performance.now();
    const model = this.#offered.find(
      (one) => this.isWanted(one) && !this.#errors.isResting(one.sha256, now) && this.#isReachable(one),
    );
    if (model === undefined) return;
    const { sha256, modelId, sizeBytes } = model;
    const url = sourceUrl(model.source, this.#environment);
    if (url === null) {
      this.#delay(sha256, "no-source", null, Infinity);
      return;
    }
    const room = await disk.makeRoomFor(model, this.#offered, rules);
    if (room !== "ok") {
      this.#delay(sha256, room, null, longPauseMs);
      return;
    }
    const active = this.#download(model, url);
    this.#active = active;
    log("info", "models.download-begins", { modelId, sizeBytes });
    void active.ended.then((end) => this.#onEnd(active, end));
  }

  #download(model: OfferedModel, url: URL): ActiveDownload {
    const { folder, pieces, neighbors, network, disk, onProgress, times = defaultTimes } = this.#deps;
    return new ActiveDownload({
      folder,
      model,
      url,
      pieces: () => pieces(model.sha256),
      neighbors: (pieceBytes) => neighbors(model, pieceBytes),
      internetHold: () => network.internetHold(),
      onBytes: (bytes, from) => network.received(bytes, from),
      onProgress,
      beforeMove: (pieceBytes) => disk.keep(model, null, pieceBytes),
      times,
      localSources: allowsLocalSources(this.#environment),
    });
  }

  async #onEnd(active: ActiveDownload, end: ActiveEnd): Promise<void> {
    const { disk, network, catalog, log, onEnd } = this.#deps;
    const { model } = active;
    const { modelId, sha256, sizeBytes, contextTokens } = model;
    const { why, detail } =
      end.kind === "waiting" || end.kind === "failed" ? end : { why: null, detail: null };
    log("info", "models.download-ended", { modelId, kind: end.kind, why, detail });
    await network.save();
    disk.notePartBytes(sha256, active.heldBytes);
    if (end.kind === "complete") await disk.keep(model, end.path, end.pieceBytes);
    this.#active = null;
    switch (end.kind) {
      case "complete":
        this.#errors.forget(sha256);
        catalog.adopt({ modelId, path: end.path, sha256, sizeBytes, contextTokens });
        break;
      case "failed":
        this.#delay(sha256, end.why, end.detail, forgiveAfterMs + 1_000);
        break;
      case "waiting":
        if (end.why !== "day-budget") this.#delay(sha256, end.why, end.detail, end.retryAfterMs);
        break;
      case "stopped":
    }
    onEnd();
  }

  #isReachable(model: OfferedModel): boolean {
    if (this.#deps.network.internetHold() === null) return true;
    const neighbors = this.#deps.neighbors(model, pieceBytesFor(model.sizeBytes));
    return (neighbors?.peers().length ?? 0) > 0;
  }

  #delay(sha256: string, why: WaitReason, detail: string | null, afterMs: number | null): void {
    this.#errors.keep(sha256, why, detail, afterMs, performance.now());
  }
}
