import type { ModelView } from "../../app/contract/snapshot.ts";
import { type ModelPieces, type OfferedModel, pieceBytesFor } from "../../app/models/catalog-entry.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import { errorName } from "../log.ts";
import { ActiveDownload, type ActiveEnd, forgiveAfterMs } from "./active-download.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import { defaultTimes, type DownloadTimes } from "./download/download-times.ts";
import type { GateFacts } from "./download/gate.ts";
import type { Neighbors } from "./download/neighbors.ts";
import { sourceUrl } from "./download/source-url.ts";
import { DownloadErrors } from "./download-errors.ts";
import { type DiskRules, ModelDisk, type ModelDiskDeps } from "./model-disk.ts";
import { viewOf } from "./model-view.ts";
import { NetworkAllowance, type NetworkRules } from "./network-allowance.ts";
import type { AnnouncedFile } from "./office/announcement.ts";
import { SerialTask } from "./serial-task.ts";

export type StoreRules = NetworkRules & DiskRules;

export type ModelStoreDeps = ModelDiskDeps & {
  readonly pieces: (sha256: string) => Promise<ModelPieces | null>;
  /** Devices in the office with this file or its download. Null while sharing is off. */
  readonly neighbors: (model: OfferedModel, pieceBytes: number) => Neighbors | null;
  /** Called when `view` changed: at once for states, once a second for downloaded bytes. */
  readonly onChange: () => void;
  readonly times?: DownloadTimes;
  readonly environment?: NodeJS.ProcessEnv;
};

/** A model on this device's disk, for `gleaner models`. */
export type ListedModel = ModelView & { readonly sha256: string; readonly lastUsedAt: number | null };

export type StoreAnswer =
  { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: "unknown" | "running" };

const longMs = 10 * 60_000;

/** Keeps the organization's models on this device, with one download at a time, as the rules allow. */
export class ModelStore {
  readonly #deps: ModelStoreDeps;
  readonly #disk: ModelDisk;
  readonly #network: NetworkAllowance;
  readonly #errors = new DownloadErrors();
  readonly #notifier: ChangeNotifier;
  readonly #work = new SerialTask(
    () => this.#workOnce(),
    () => this.#onRest(),
  );
  #offered: readonly OfferedModel[] = [];
  #active: ActiveDownload | null = null;
  #rules: StoreRules | null = null;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(deps: ModelStoreDeps, disk: ModelDisk, network: NetworkAllowance) {
    this.#deps = deps;
    this.#disk = disk;
    this.#network = network;
    this.#notifier = new ChangeNotifier(deps.onChange);
  }

  /** Opens the folder and continues from an earlier run. */
  static async open(deps: ModelStoreDeps): Promise<ModelStore> {
    const disk = await ModelDisk.open(deps);
    return new ModelStore(deps, disk, await NetworkAllowance.open(deps.folder, deps.log));
  }

  /** Sets the organization's models. */
  offer(models: readonly OfferedModel[]): void {
    for (const { sha256, source } of this.#offered) {
      // A new source can be tried at once.
      if (models.some((model) => model.sha256 === sha256 && model.source !== source)) {
        this.#errors.forget(sha256);
      }
    }
    this.#offered = models;
    this.#errors.keepOnly(new Set(models.map(({ sha256 }) => sha256)));
    this.#wake();
  }

  /** Applies new facts or rules: starts, continues or stops. Cheap; called at every decision. */
  look(facts: GateFacts, rules: StoreRules): void {
    const before = this.#network.hold;
    this.#network.update(facts, rules);
    const changed = this.#network.hold !== before || rulesKey(rules) !== rulesKey(this.#rules);
    this.#rules = rules;
    if (changed) this.#wake();
  }

  /** Called when a file's state in the catalog changed. */
  filesChanged(): void {
    this.#wake();
  }

  /** Whether models may use the network now, in either direction. */
  get mayUseNetwork(): boolean {
    return this.#network.isOpen;
  }

  /** The files to announce in the office. */
  get given(): readonly AnnouncedFile[] {
    if (!this.mayUseNetwork) return [];
    const whole = this.#disk.whole.map((sha256) => ({ sha256, complete: true }));
    return this.#active === null ? whole : [...whole, { sha256: this.#active.model.sha256, complete: false }];
  }

  get active(): ActiveDownload | null {
    return this.#active;
  }

  wholeFile(sha256: string): ReturnType<ModelDisk["wholeFile"]> {
    return this.#disk.wholeFile(sha256);
  }

  /** Called before a job uses the model. */
  used(sha256: string): void {
    this.#disk.stored.used(sha256, Date.now());
  }

  /** Counts network bytes and waits until the rate allows more. */
  pace(bytes: number): Promise<void> {
    return this.#network.pace(bytes);
  }

  view(model: OfferedModel): ModelView {
    const { sha256 } = model;
    return viewOf(model, {
      state: this.#deps.catalog.stateOf(model),
      download: this.#active?.model.sha256 === sha256 ? this.#active : null,
      partBytes: this.#disk.partBytes(sha256),
      isRefused: this.#disk.stored.refused.has(sha256),
      isWanted: this.#isWanted(model),
      trouble: this.#errors.of(sha256),
      hold: this.#network.hold,
      internetHold: this.#network.internetHold(),
    });
  }

  /** Lists offered models and those still on disk, for `gleaner models`. */
  list(): readonly ListedModel[] {
    const files = this.#disk.stored.files;
    const offered = this.#offered.map((model) => ({
      ...this.view(model),
      sha256: model.sha256,
      lastUsedAt: files.get(model.sha256)?.lastUsedAt ?? null,
    }));
    const rest = [...files]
      .filter(([sha256]) => !this.#offered.some((model) => model.sha256 === sha256))
      .map(([sha256, { modelId, sizeBytes, lastUsedAt }]) => ({
        modelId,
        sizeBytes,
        sha256,
        lastUsedAt,
        state: this.#deps.catalog.stateOf({ modelId, sizeBytes, sha256 }),
      }));
    return [...offered, ...rest];
  }

  /** Removes a model from the disk. It returns only after `fetch`, or when the organization offers another file. */
  async remove(modelId: string): Promise<StoreAnswer> {
    const sha256 = this.#shaOf(modelId);
    if (sha256 === null) return { kind: "refused", reason: "unknown" };
    if (this.#deps.running().has(sha256)) return { kind: "refused", reason: "running" };
    this.#disk.stored.refused.add(sha256);
    this.#errors.forget(sha256);
    if (this.#active?.model.sha256 === sha256) await this.#active.stop();
    await this.#disk.delete(sha256);
    await this.#disk.discardPart(sha256);
    await this.#disk.stored.save();
    this.#wake();
    return { kind: "ok" };
  }

  /** Reverts a `remove` and retries failed downloads at once. */
  async fetch(modelId: string): Promise<StoreAnswer> {
    const sha256 = this.#shaOf(modelId);
    if (sha256 === null) return { kind: "refused", reason: "unknown" };
    const { stored } = this.#disk;
    stored.refused.delete(sha256);
    stored.evicted.delete(sha256);
    if (this.#errors.of(sha256)?.why === "wrong-content") await this.#disk.discardPart(sha256);
    this.#errors.forget(sha256);
    await stored.save();
    this.#wake();
    return { kind: "ok" };
  }

  /** Closes the file and keeps its bytes. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#network.stop();
    clearTimeout(this.#timer);
    this.#notifier.stop();
    await this.#active?.stop();
    await this.#network.save();
    await this.#disk.stored.save();
  }

  #wake(): void {
    this.#notifier.now();
    this.#work.request();
  }

  #onRest(): void {
    this.#armTimer();
    this.#notifier.now();
  }

  async #workOnce(): Promise<void> {
    try {
      await this.#doWhatIsDue();
    } catch (error) {
      this.#deps.log("error", "models.look-failed", { error: errorName(error) });
    }
  }

  async #doWhatIsDue(): Promise<void> {
    const rules = this.#rules;
    if (this.#stopped || rules === null) return;
    const active = this.#active;
    if (active !== null) {
      // The end of the download wakes this again.
      if (this.#network.hold !== null || !this.#isWanted(active.model)) await active.stop();
      return;
    }
    // Delete nothing before the offered models are known.
    if (this.#offered.length > 0) {
      await this.#disk.revertDamaged(this.#offered);
      await this.#disk.dropStrays(this.#offered);
      await this.#disk.keepQuota(this.#offered, rules);
    }
    if (this.#network.hold === null) await this.#begin(rules);
  }

  async #begin(rules: StoreRules): Promise<void> {
    const now = performance.now();
    const model = this.#offered.find(
      (one) => this.#isWanted(one) && !this.#errors.isResting(one.sha256, now) && this.#isReachable(one),
    );
    if (model === undefined) return;
    const { sha256, modelId, sizeBytes } = model;
    const url = sourceUrl(model.source, this.#deps.environment ?? process.env);
    if (url === null) {
      this.#rest(sha256, "no-source", null, Infinity);
      return;
    }
    const room = await this.#disk.makeRoomFor(model, this.#offered, rules);
    if (room !== "ok") {
      this.#rest(sha256, room, null, longMs);
      return;
    }
    const active = new ActiveDownload({
      folder: this.#deps.folder,
      model,
      url,
      pieces: () => this.#deps.pieces(sha256),
      neighbors: (pieceBytes) => this.#deps.neighbors(model, pieceBytes),
      internetHold: () => this.#network.internetHold(),
      onBytes: (bytes, from) => this.#network.received(bytes, from),
      onProgress: () => this.#notifier.soon(),
      beforeMove: (pieceBytes) => this.#disk.keep(model, null, pieceBytes),
      times: this.#deps.times ?? defaultTimes,
    });
    this.#active = active;
    this.#deps.log("info", "models.download-begins", { modelId, sizeBytes });
    void active.ended.then((end) => this.#onEnd(active, end));
  }

  async #onEnd(active: ActiveDownload, end: ActiveEnd): Promise<void> {
    const { model } = active;
    const { modelId, sha256, sizeBytes, contextTokens } = model;
    const told = end.kind === "waiting" || end.kind === "failed" ? end : { why: null, detail: null };
    this.#deps.log("info", "models.download-ended", {
      modelId,
      kind: end.kind,
      why: told.why,
      detail: told.detail,
    });
    await this.#network.save();
    this.#disk.notePartBytes(sha256, active.heldBytes);
    if (end.kind === "complete") await this.#disk.keep(model, end.path, end.pieceBytes);
    this.#active = null;
    switch (end.kind) {
      case "complete":
        this.#errors.forget(sha256);
        this.#deps.catalog.adopt({ modelId, path: end.path, sha256, sizeBytes, contextTokens });
        break;
      case "failed":
        this.#rest(sha256, end.why, end.detail, forgiveAfterMs + 1_000);
        break;
      case "waiting":
        if (end.why !== "day-budget") this.#rest(sha256, end.why, end.detail, end.retryAfterMs);
        break;
      case "stopped":
    }
    this.#wake();
  }

  #isWanted(model: OfferedModel): boolean {
    return (
      model.source !== "bundled" &&
      this.#offered.some(({ sha256, source }) => sha256 === model.sha256 && source === model.source) &&
      !this.#disk.stored.refused.has(model.sha256) &&
      this.#deps.catalog.stateOf(model) === "missing"
    );
  }

  #isReachable(model: OfferedModel): boolean {
    if (this.#network.internetHold() === null) return true;
    const neighbors = this.#deps.neighbors(model, pieceBytesFor(model.sizeBytes));
    return (neighbors?.peers().length ?? 0) > 0;
  }

  #rest(sha256: string, why: WaitReason, detail: string | null, afterMs: number | null): void {
    this.#errors.keep(sha256, why, detail, afterMs, performance.now());
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const now = performance.now();
    const budgetAt = this.#network.internetHold() === "day-budget" ? now + longMs : Infinity;
    const at = Math.min(this.#errors.nextAt(now), budgetAt);
    if (at === Infinity) return;
    this.#timer = setTimeout(() => this.#wake(), Math.max(50, at - now)).unref();
  }

  #shaOf(modelId: string): string | null {
    const offered = this.#offered.find((model) => model.modelId === modelId)?.sha256;
    if (offered !== undefined) return offered;
    return [...this.#disk.stored.files].find(([, file]) => file.modelId === modelId)?.[0] ?? null;
  }
}

function rulesKey(rules: StoreRules | null): string {
  if (rules === null) return "";
  return [rules.diskQuotaMb, rules.minFreeDiskMb, rules.networkBudgetMbPerDay].join("/");
}
