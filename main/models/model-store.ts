import { join } from "node:path";
import type { ModelView } from "../../app/contract/snapshot.ts";
import { type ModelPieces, type OfferedModel, pieceBytesFor } from "../../app/models/catalogue-entry.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { Rules } from "../../app/policy/rules.ts";
import { errorName } from "../log.ts";
import { ActiveDownload, type ActiveEnd, forgiveAfterMs } from "./active-download.ts";
import { DayBudget } from "./download/day-budget.ts";
import { defaultTimes, type DownloadTimes } from "./download/download.ts";
import { budgetSpent, type GateFacts, type GateRules, networkHold } from "./download/gate.ts";
import type { Neighbours } from "./download/neighbours.ts";
import { sourceUrl } from "./download/source-url.ts";
import { TokenBucket } from "./download/token-bucket.ts";
import type { AnnouncedFile } from "./office/announcement.ts";
import { type DiskRules, ModelDisk, type ModelDiskParts } from "./model-disk.ts";
import { Telling } from "./telling.ts";
import { Troubles } from "./troubles.ts";

export type StoreRules = GateRules & DiskRules & Pick<Rules, "downloadKbps">;

export type ModelStoreParts = ModelDiskParts & {
  readonly pieces: (sha256: string) => Promise<ModelPieces | null>;
  /** The devices in the office that have this file or fetch it; null while nothing is shared. */
  readonly neighbours: (model: OfferedModel, pieceBytes: number) => Neighbours | null;
  /** `view` has something new: at once for states, each second for bytes that came in. */
  readonly onChange: () => void;
  readonly times?: DownloadTimes;
  readonly environment?: NodeJS.ProcessEnv;
};

/** A model on this device's disk, as `gleaner models` lists it. */
export type ListedModel = ModelView & { readonly sha256: string; readonly lastUsedAt: number | null };

export type StoreAnswer =
  { readonly kind: "ok" } | { readonly kind: "refused"; readonly reason: "unknown" | "running" };

const notComing: ReadonlySet<WaitReason> = new Set(["no-source", "removed"]);
const longMs = 10 * 60_000;

/** Keeps on this device the models that its organization offers: one download at a time, as the rules allow. */
export class ModelStore {
  readonly #parts: ModelStoreParts;
  readonly #disk: ModelDisk;
  readonly #budget: DayBudget;
  readonly #bucket = new TokenBucket(null, performance.now());
  readonly #troubles = new Troubles();
  readonly #telling: Telling;
  #offered: readonly OfferedModel[] = [];
  #active: ActiveDownload | null = null;
  #hold: WaitReason | null = "not-a-member";
  #rules: StoreRules | null = null;
  #working = false;
  #again = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(parts: ModelStoreParts, disk: ModelDisk, budget: DayBudget) {
    this.#parts = parts;
    this.#disk = disk;
    this.#budget = budget;
    this.#telling = new Telling(parts.onChange);
  }

  /** Goes on with what an earlier run left in the folder. */
  static async open(parts: ModelStoreParts): Promise<ModelStore> {
    const disk = await ModelDisk.open(parts);
    const budget = await DayBudget.open(join(parts.folder, "network.json"), parts.log);
    return new ModelStore(parts, disk, budget);
  }

  /** What the organization offers now. */
  offer(models: readonly OfferedModel[]): void {
    for (const { sha256, source } of this.#offered) {
      // From another place it may come at once.
      if (models.some((model) => model.sha256 === sha256 && model.source !== source)) {
        this.#troubles.forget(sha256);
      }
    }
    this.#offered = models;
    this.#troubles.keepOnly(new Set(models.map(({ sha256 }) => sha256)));
    this.#wake();
  }

  /** New facts or rules: begins, goes on or stops. Cheap, to be called at every look. */
  look(facts: GateFacts, rules: StoreRules): void {
    const hold = networkHold(facts, rules);
    const changed = hold !== this.#hold || rulesKey(rules) !== rulesKey(this.#rules);
    this.#hold = hold;
    this.#rules = rules;
    this.#bucket.setRate(rules.downloadKbps === null ? null : rules.downloadKbps * 125, performance.now());
    if (changed) this.#wake();
  }

  /** A file's state in the catalogue changed. */
  filesChanged(): void {
    this.#wake();
  }

  /** Whether models may move over the network now: given as well as taken. */
  get mayUseNetwork(): boolean {
    return this.#hold === null && !this.#stopped;
  }

  /** What devices in the office may be told of. */
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

  /** A job is about to run with it. */
  used(sha256: string): void {
    this.#disk.stored.used(sha256, Date.now());
  }

  /** Counts bytes of the network, and waits until more fit the rules' rate. */
  async pace(bytes: number): Promise<void> {
    let ms = this.#bucket.take(bytes, performance.now());
    // In steps: the rules may change meanwhile, or the download be stopped.
    while (ms > 0 && !this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 250)));
      if (!this.mayUseNetwork) return;
      ms = this.#bucket.take(0, performance.now());
    }
  }

  view(model: OfferedModel): ModelView {
    const { modelId, sizeBytes, sha256 } = model;
    const state = this.#parts.catalogue.stateOf(model);
    if (state !== "missing") return { modelId, sizeBytes, state };
    const active = this.#active;
    if (active !== null && active.model.sha256 === sha256 && this.#hold === null) {
      const { heldBytes: downloadedBytes, bytesPerSecond } = active;
      const coming = downloadedBytes < sizeBytes;
      return {
        ...{ modelId, sizeBytes, downloadedBytes, bytesPerSecond },
        state: coming ? "downloading" : "verifying",
      };
    }
    const why = this.#whyNot(model);
    if (why === null) return { modelId, sizeBytes, state };
    if (notComing.has(why.reason)) return { modelId, sizeBytes, state, why };
    return { modelId, sizeBytes, state: "waiting", downloadedBytes: this.#disk.partBytes(sha256), why };
  }

  /** For `gleaner models`: what is offered, and what is still on the disk. */
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
        ...{ modelId, sizeBytes, sha256, lastUsedAt },
        state: this.#parts.catalogue.stateOf({ modelId, sizeBytes, sha256 }),
      }));
    return [...offered, ...rest];
  }

  /** Frees the disk of a model. It does not come back before `fetch`, or before the organization offers another file. */
  async remove(modelId: string): Promise<StoreAnswer> {
    const sha256 = this.#shaOf(modelId);
    if (sha256 === null) return { kind: "refused", reason: "unknown" };
    if (this.#parts.running().has(sha256)) return { kind: "refused", reason: "running" };
    this.#disk.stored.refused.add(sha256);
    this.#troubles.forget(sha256);
    if (this.#active?.model.sha256 === sha256) await this.#active.stop();
    await this.#disk.delete(sha256);
    await this.#disk.discardPart(sha256);
    await this.#disk.stored.save();
    this.#wake();
    return { kind: "ok" };
  }

  /** Takes back a `remove`, and tries again at once what had failed. */
  async fetch(modelId: string): Promise<StoreAnswer> {
    const sha256 = this.#shaOf(modelId);
    if (sha256 === null) return { kind: "refused", reason: "unknown" };
    const { stored } = this.#disk;
    stored.refused.delete(sha256);
    stored.evicted.delete(sha256);
    if (this.#troubles.of(sha256)?.why === "wrong-content") await this.#disk.discardPart(sha256);
    this.#troubles.forget(sha256);
    await stored.save();
    this.#wake();
    return { kind: "ok" };
  }

  /** Everything that was written stays. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#telling.stop();
    await this.#active?.stop();
    await this.#budget.save();
    await this.#disk.stored.save();
  }

  #wake(): void {
    this.#telling.now();
    this.#again = true;
    if (this.#working) return;
    this.#working = true;
    void this.#workUntilDone();
  }

  async #workUntilDone(): Promise<void> {
    while (this.#takeAgain()) {
      try {
        await this.#work();
      } catch (error) {
        this.#parts.log("error", "models.look-failed", { error: errorName(error) });
      }
    }
    this.#working = false;
    this.#armTimer();
    this.#telling.now();
  }

  #takeAgain(): boolean {
    const again = this.#again;
    this.#again = false;
    return again;
  }

  async #work(): Promise<void> {
    const rules = this.#rules;
    if (this.#stopped || rules === null) return;
    const active = this.#active;
    if (active !== null) {
      // Its end wakes this again.
      if (this.#hold !== null || !this.#isWanted(active.model)) await active.stop();
      return;
    }
    // Before it is known what is offered, nothing is let go.
    if (this.#offered.length > 0) {
      await this.#disk.revertDamaged(this.#offered);
      await this.#disk.dropStrays(this.#offered);
      await this.#disk.keepQuota(this.#offered, rules);
    }
    if (this.#hold === null) await this.#begin(rules);
  }

  async #begin(rules: StoreRules): Promise<void> {
    const now = performance.now();
    const model = this.#offered.find(
      (one) => this.#isWanted(one) && !this.#troubles.isResting(one.sha256, now) && this.#isReachable(one),
    );
    if (model === undefined) return;
    const { sha256, modelId, sizeBytes } = model;
    const url = sourceUrl(model.source, this.#parts.environment ?? process.env);
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
      folder: this.#parts.folder,
      ...{ model, url },
      pieces: () => this.#parts.pieces(sha256),
      neighbours: (pieceBytes) => this.#parts.neighbours(model, pieceBytes),
      internetHold: () => this.#internetHold(),
      onBytes: async (bytes, from) => {
        if (from === "internet") this.#budget.count(bytes, new Date());
        await this.pace(bytes);
      },
      onProgress: () => this.#telling.soon(),
      beforeMove: (pieceBytes) => this.#disk.keep(model, null, pieceBytes),
      times: this.#parts.times ?? defaultTimes,
    });
    this.#active = active;
    this.#parts.log("info", "models.download-begins", { modelId, sizeBytes });
    void active.ended.then((end) => this.#onEnd(active, end));
  }

  async #onEnd(active: ActiveDownload, end: ActiveEnd): Promise<void> {
    const { model } = active;
    const { modelId, sha256, sizeBytes, contextTokens } = model;
    const told = end.kind === "waiting" || end.kind === "failed" ? end : { why: null, detail: null };
    this.#parts.log("info", "models.download-ended", {
      ...{ modelId, kind: end.kind },
      ...{ why: told.why, detail: told.detail },
    });
    await this.#budget.save();
    this.#disk.notePartBytes(sha256, active.heldBytes);
    if (end.kind === "complete") await this.#disk.keep(model, end.path, end.pieceBytes);
    this.#active = null;
    switch (end.kind) {
      case "complete":
        this.#troubles.forget(sha256);
        this.#parts.catalogue.adopt({ modelId, path: end.path, sha256, sizeBytes, contextTokens });
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
      this.#parts.catalogue.stateOf(model) === "missing"
    );
  }

  #isReachable(model: OfferedModel): boolean {
    if (this.#internetHold() === null) return true;
    const neighbours = this.#parts.neighbours(model, pieceBytesFor(model.sizeBytes));
    return (neighbours?.peers().length ?? 0) > 0;
  }

  #internetHold(): WaitReason | null {
    if (this.#rules === null) return "not-a-member";
    return budgetSpent(this.#budget.spentOn(new Date()), this.#rules) ? "day-budget" : null;
  }

  #whyNot(model: OfferedModel): NonNullable<ModelView["why"]> | null {
    if (model.source === "bundled") return { reason: "no-source", detail: null };
    if (this.#disk.stored.refused.has(model.sha256)) return { reason: "removed", detail: null };
    if (!this.#isWanted(model)) return null;
    const trouble = this.#troubles.of(model.sha256);
    if (trouble !== null && (this.#hold === null || trouble.why === "wrong-content")) {
      return { reason: trouble.why, detail: trouble.detail };
    }
    return { reason: this.#hold ?? this.#internetHold() ?? "turn", detail: null };
  }

  #rest(sha256: string, why: WaitReason, detail: string | null, afterMs: number | null): void {
    this.#troubles.keep(sha256, why, detail, afterMs, performance.now());
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const now = performance.now();
    const budgetAt = this.#internetHold() === "day-budget" ? now + longMs : Infinity;
    const at = Math.min(this.#troubles.nextAt(now), budgetAt);
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
