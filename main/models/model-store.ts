import type { ModelView } from "../../app/contract/snapshot.ts";
import type { Facts } from "../../app/facts/facts.ts";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import type { Rules } from "../../app/policy/rules.ts";
import { errorName } from "../log.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import { ModelDisk, type ModelDiskDeps } from "./model-disk.ts";
import { type DownloadSources, longPauseMs, ModelDownloads } from "./model-downloads.ts";
import { type ListedModel, listModels, viewOf } from "./model-view.ts";
import { NetworkAllowance } from "./network-allowance.ts";
import type { AnnouncedFile } from "./office/announcement.ts";
import { SerialTask } from "./serial-task.ts";

export type ModelStoreDeps = ModelDiskDeps &
  DownloadSources & {
    /** Called when `view` changed: at once for states, once a second for downloaded bytes. */
    readonly onChange: () => void;
  };

type StoreAnswer =
  { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: "unknown" | "running" };

/** Keeps the organization's models on this device, as the rules allow. */
export class ModelStore {
  readonly #deps: ModelStoreDeps;
  readonly disk: ModelDisk;
  readonly network: NetworkAllowance;
  readonly downloads: ModelDownloads;
  readonly #notifier: ChangeNotifier;
  readonly #work = new SerialTask(
    () => this.#workOnce(),
    () => this.#onRest(),
  );
  #rules: Rules | null = null;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(deps: ModelStoreDeps, disk: ModelDisk, network: NetworkAllowance) {
    this.#deps = deps;
    this.disk = disk;
    this.network = network;
    this.#notifier = new ChangeNotifier(deps.onChange);
    this.downloads = new ModelDownloads({
      ...deps,
      disk,
      network,
      onProgress: () => this.#notifier.soon(),
      onEnd: () => this.#wake(),
    });
  }

  /** Opens the folder and continues from an earlier run. */
  static async open(deps: ModelStoreDeps): Promise<ModelStore> {
    const disk = await ModelDisk.open(deps);
    return new ModelStore(deps, disk, await NetworkAllowance.open(deps.folder, deps.log));
  }

  /** Sets the organization's models. */
  offer(models: readonly OfferedModel[]): void {
    this.downloads.offer(models);
    this.#wake();
  }

  /** Applies new facts or rules: starts, continues or stops. Cheap; called at every decision. */
  update(facts: Facts, rules: Rules): void {
    const before = this.network.hold;
    this.network.update(facts, rules);
    const changed = this.network.hold !== before || rulesKey(rules) !== rulesKey(this.#rules);
    this.#rules = rules;
    if (changed) this.#wake();
  }

  /** Called when a file's state in the catalog changed. */
  filesChanged(): void {
    this.#wake();
  }

  /** The files to announce in the office. */
  get announced(): readonly AnnouncedFile[] {
    if (!this.network.isOpen) return [];
    const { active } = this.downloads;
    const whole = this.disk.whole.map((sha256) => ({ sha256, complete: true }));
    return active === null ? whole : [...whole, { sha256: active.model.sha256, complete: false }];
  }

  /** Called before a job uses the model. */
  used(sha256: string): void {
    this.disk.stored.used(sha256, Date.now());
  }

  /** The last use of the model by a job, or else its download, in ms since the epoch. 0: it was never downloaded. */
  usedAt(sha256: string): number {
    return this.disk.stored.files.get(sha256)?.lastUsedAt ?? 0;
  }

  view(model: OfferedModel): ModelView {
    const { sha256 } = model;
    const { active } = this.downloads;
    return viewOf(model, {
      state: this.#deps.catalog.stateOf(model),
      download: active?.model.sha256 === sha256 ? active : null,
      partBytes: this.disk.partBytes(sha256),
      isRefused: this.disk.stored.refused.has(sha256),
      isWanted: this.downloads.isWanted(model),
      error: this.downloads.errorOf(sha256),
      hold: this.network.hold,
      internetHold: this.network.internetHold(),
    });
  }

  /** Lists offered models and those still on disk, for `gleaner downloads`. */
  list(): readonly ListedModel[] {
    const offered = this.downloads.offered.map((model) => ({ ...this.view(model), sha256: model.sha256 }));
    return listModels(offered, this.disk.stored.files, (model) => this.#deps.catalog.stateOf(model));
  }

  /** Whether the model's file came with the program. */
  isBundled({ sha256, state }: Pick<ListedModel, "sha256" | "state">): boolean {
    return state === "ready" && this.disk.wholeFile(sha256) === null;
  }

  /** Removes a model from the disk. It returns only after `fetch`, or when the organization offers another file. */
  async remove(modelId: string): Promise<StoreAnswer> {
    const sha256 = this.#shaOf(modelId);
    if (sha256 === null) return { kind: "refused", reason: "unknown" };
    if (this.#deps.running().has(sha256)) return { kind: "refused", reason: "running" };
    this.disk.stored.refused.add(sha256);
    this.downloads.forgetError(sha256);
    const { active } = this.downloads;
    if (active?.model.sha256 === sha256) await active.stop();
    await this.disk.delete(sha256);
    await this.disk.discardPart(sha256);
    await this.disk.stored.save();
    this.#wake();
    return { kind: "ok" };
  }

  /** Reverts a `remove` and retries failed downloads at once. */
  async fetch(modelId: string): Promise<StoreAnswer> {
    const sha256 = this.#shaOf(modelId);
    if (sha256 === null) return { kind: "refused", reason: "unknown" };
    const { stored } = this.disk;
    stored.refused.delete(sha256);
    stored.evicted.delete(sha256);
    if (this.downloads.errorOf(sha256)?.why === "wrong-content") await this.disk.discardPart(sha256);
    this.downloads.forgetError(sha256);
    await stored.save();
    this.#wake();
    return { kind: "ok" };
  }

  /** Closes the file and keeps its bytes. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.network.stop();
    clearTimeout(this.#timer);
    this.#notifier.stop();
    await this.downloads.active?.stop();
    await this.network.save();
    await this.disk.stored.save();
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
    const { active } = this.downloads;
    if (active !== null) {
      // The end of the download wakes this again.
      if (this.network.hold !== null || !this.downloads.isWanted(active.model)) await active.stop();
      return;
    }
    // Delete nothing before the offered models are known.
    if (this.downloads.offered.length > 0) {
      await this.disk.revertDamaged(this.downloads.offered);
      await this.disk.dropStrays(this.downloads.offered);
      await this.disk.keepQuota(this.downloads.offered, rules);
    }
    if (this.network.hold === null) await this.downloads.startNext(rules);
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const now = performance.now();
    const budgetAt = this.network.internetHold() === "day-budget" ? now + longPauseMs : Infinity;
    const at = Math.min(this.downloads.nextRetryAt(now), budgetAt);
    if (at === Infinity) return;
    this.#timer = setTimeout(() => this.#wake(), Math.max(50, at - now)).unref();
  }

  #shaOf(modelId: string): string | null {
    const offered = this.downloads.offered.find((model) => model.modelId === modelId)?.sha256;
    if (offered !== undefined) return offered;
    return [...this.disk.stored.files].find(([, file]) => file.modelId === modelId)?.[0] ?? null;
  }
}

function rulesKey(rules: Rules | null): string {
  if (rules === null) return "";
  return [rules.diskQuotaMb, rules.minFreeDiskMb, rules.networkBudgetMbPerDay].join("/");
}
