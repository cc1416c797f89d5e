import type { LoadPlan, ModelFigures, ModelFile } from "../../../app/contract/runner.ts";
import type { Limits } from "../../../app/policy/decision.ts";
import type { Log } from "../../log.ts";
import { backendOrder, chooseSequences } from "./backends.ts";
import { type Fit, fitModel } from "./model-fit.ts";
import type { MeasuredSpeed, ModelKnowledge } from "./model-knowledge.ts";

export type ModelPlansParts = {
  readonly knowledge: ModelKnowledge;
  /** Has the runner read the head of the file. Null where it could not, this time. */
  readonly inspect: (model: ModelFile) => Promise<ModelFigures | null>;
  /** Bytes that a model may take now, what the runner holds already included. Null where that cannot be told now. */
  readonly memoryBytes: () => number | null;
  readonly threads: number;
  /** Jobs at once, in place of what the machine is good for. */
  readonly sequences?: string | undefined;
  readonly log: Log;
};

/** A plan that takes so many times the memory of the one before is worth loading the model again. */
const worthAnotherLoad = 1.25;

export type PlanLimits = Pick<Limits, "gpu" | "memoryMb"> & Partial<Pick<Limits, "deniedGpus">>;

/** How each model would be loaded on this machine, and whether at all: known before a job of it is claimed. */
export class ModelPlans {
  readonly #parts: ModelPlansParts;
  readonly #fits = new Map<string, Fit>();
  /** The context for which each was fitted. */
  readonly #fitted = new Map<string, number>();
  /** Models whose load or use on the GPU ended the process. */
  readonly #gpuCrashed = new Set<string>();
  #limits: PlanLimits = { gpu: false, memoryMb: null };
  /** What was free when that could be told last. */
  #freeBytes = 0;
  /** As much of it as the rules allow. */
  #bytes: number | null = null;

  constructor(parts: ModelPlansParts) {
    this.#parts = parts;
  }

  /** The most jobs at once, whatever the model. */
  get sequences(): number {
    const { threads, sequences } = this.#parts;
    return chooseSequences(threads, sequences);
  }

  /** Whether the model has been looked at, and fits. */
  fits(model: ModelFile): boolean {
    return this.#fits.get(model.sha256)?.kind === "fits";
  }

  /** The context that a job of the model has at most; null where the model is not known to fit. */
  contextTokens(model: ModelFile): number | null {
    const fit = this.#fits.get(model.sha256);
    return fit?.kind === "fits" ? fit.contextTokens : null;
  }

  speed(sha256: string): MeasuredSpeed | null {
    return this.#parts.knowledge.speed(sha256);
  }

  planFor(model: ModelFile): LoadPlan {
    const { threads } = this.#parts;
    const fit = this.#fits.get(model.sha256);
    const fitting = fit?.kind === "fits" ? fit : { contextTokens: model.contextTokens, sequences: 1 };
    return {
      threads,
      contextTokens: fitting.contextTokens,
      sequences: fitting.sequences,
      backends: backendOrder({
        ...{ platform: process.platform, arch: process.arch },
        gpu: this.#limits.gpu,
        someDenied: (this.#limits.deniedGpus ?? []).length > 0,
        gpuCrashed: this.#gpuCrashed.has(model.sha256),
      }),
      gpuLayers: "auto",
      ...this.#spare(model),
      measure: this.#parts.knowledge.speed(model.sha256) === null,
    };
  }

  /** From now on these hold: what is free is looked at anew, since it changes with whatever else runs. */
  setLimits(limits: PlanLimits, models: readonly ModelFile[]): void {
    this.#limits = limits;
    this.#bytes = this.#lookAtMemory();
    for (const model of models) this.#fit(model);
  }

  /**
   * Those that were looked at before, perhaps when the program last ran, need no process for it. Anew where the
   * organization changed a model's context.
   */
  consider(models: readonly ModelFile[]): void {
    for (const model of models) {
      if (this.#fitted.get(model.sha256) !== model.contextTokens) this.#fit(model);
    }
  }

  /**
   * Looks at those that were never looked at here, and at what is free for those that were too large. True when that
   * changed what fits.
   * @param goOn asked before each look, which takes a process.
   */
  async learn(models: readonly ModelFile[], goOn = (): boolean => true): Promise<boolean> {
    const { knowledge, inspect, log } = this.#parts;
    let changed = false;
    if (!models.every((model) => this.fits(model))) this.#bytes = this.#lookAtMemory();
    for (const model of models) {
      const before = this.#fits.get(model.sha256)?.kind;
      if (knowledge.figures(model.sha256) === null) {
        if (!goOn()) break;
        const figures = await inspect(model);
        if (figures === null) {
          log("warn", "model.not-inspected", { modelId: model.modelId });
          continue;
        }
        knowledge.setFigures(model.sha256, figures);
      }
      if (before !== "fits") this.#fit(model);
      changed ||= this.#fits.get(model.sha256)?.kind !== before;
    }
    return changed;
  }

  measured(model: ModelFile, speed: MeasuredSpeed): void {
    this.#parts.knowledge.addSpeed(model.sha256, speed, this.#parts.threads);
  }

  /** The runner's process ended under a job of it: if that was on a GPU, the CPU is tried from now on. */
  crashed(model: ModelFile): void {
    const gpu = this.planFor(model).backends.length > 1;
    if (!gpu) return;
    this.#gpuCrashed.add(model.sha256);
    this.#parts.log("warn", "model.gpu-given-up", { modelId: model.modelId });
  }

  /** Few models that were not made for embeddings are asked for any: room for that is not kept from the others. */
  #spare({ sha256 }: ModelFile): Pick<LoadPlan, "spareBytes"> {
    const fit = this.#fits.get(sha256);
    const isCounted = (this.#parts.knowledge.figures(sha256)?.embeddingTokenBytes ?? 0) > 0;
    if (isCounted || fit?.kind !== "fits" || this.#bytes === null) return {};
    return { spareBytes: Math.max(0, this.#bytes - fit.bytes) };
  }

  #lookAtMemory(): number {
    const { memoryMb } = this.#limits;
    this.#freeBytes = this.#parts.memoryBytes() ?? this.#freeBytes;
    return Math.min(memoryMb === null ? Infinity : memoryMb * 2 ** 20, this.#freeBytes);
  }

  #fit(model: ModelFile): void {
    const figures = this.#parts.knowledge.figures(model.sha256);
    if (figures === null) return;
    const bytes = (this.#bytes ??= this.#lookAtMemory());
    const wanted = { contextTokens: model.contextTokens, sequences: this.sequences };
    const fit = fitModel(figures, wanted, bytes);
    const isSame = this.#fitted.get(model.sha256) === model.contextTokens;
    const before = isSame ? this.#fits.get(model.sha256) : undefined;
    this.#fitted.set(model.sha256, model.contextTokens);
    // Another plan is another load: for a little memory more or less that is not worth it.
    if (before?.kind === "fits" && before.bytes <= bytes && fit.kind === "fits") {
      if (fit.bytes < before.bytes * worthAnotherLoad) return;
    }
    this.#fits.set(model.sha256, fit);
    if (fit.kind === "too-large" && before?.kind !== "too-large") {
      const toMb = (size: number): number => Math.round(size / 2 ** 20);
      const size = { needMb: toMb(fit.needBytes), freeMb: toMb(bytes) };
      this.#parts.log("info", "model.too-large", { modelId: model.modelId, ...size });
    }
  }
}
