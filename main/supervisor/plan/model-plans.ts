import type { LoadPlan, ModelFigures, ModelFile } from "../../../app/contract/runner.ts";
import type { Backend, MeasuredSpeed } from "../../../app/contract/speed.ts";
import { contextOffer } from "../../../app/jobs/context-steps.ts";
import type { Limits } from "../../../app/policy/declare/activity.ts";
import type { Log } from "../../log.ts";
import { BackendFaults } from "./backend-faults.ts";
import { backendOrder } from "./backends.ts";
import { gpuMemoryForModels } from "./gpu-memory.ts";
import { bytesInRam, type Fit, fitModel, type MemoryForModels } from "./model-fit.ts";
import type { ModelKnowledge } from "./model-knowledge.ts";
import { chooseSequences } from "./parallelism.ts";

type ModelPlansDeps = {
  readonly knowledge: ModelKnowledge;
  /** Has the runner read the head of the file. Null if that failed this time. */
  readonly inspect: (model: ModelFile) => Promise<ModelFigures | null>;
  /** Bytes that a model may take now, including the runner's own. Null if unknown now. */
  readonly memoryBytes: () => number | null;
  /** Free memory of the GPU in MiB, in steps. Null if it may not be used now, or is unknown. */
  readonly vramMb?: () => number | null;
  /** Finds out anew how much memory of the GPU is free, and whether other programs use it. */
  readonly lookAtGpu?: () => Promise<void>;
  readonly threads: number;
  /** Overrides the number of jobs at once. */
  readonly sequences?: string | undefined;
  /** Of this computer, which decides about the backends. */
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  readonly log: Log;
};

/** A new plan replaces a smaller one only if it takes this many times its memory, because the model must be reloaded. */
const worthReload = 1.25;

type PlanLimits = Pick<Limits, "gpu" | "memoryMb"> & Partial<Pick<Limits, "deniedGpus">>;

/** Plans how to load each model on this machine, and tells whether it fits, before any of its jobs is claimed. */
export class ModelPlans {
  readonly #deps: ModelPlansDeps;
  readonly #fits = new Map<string, Fit>();
  /** The context that each model was fitted for. */
  readonly #fittedTokens = new Map<string, number>();
  readonly #faults = new BackendFaults();
  #limits: PlanLimits = { gpu: false, memoryMb: null };
  /** The last known free memory. */
  #freeBytes = 0;
  /** The part of it that the rules allow. */
  #allowedBytes: number | null = null;

  constructor(deps: ModelPlansDeps) {
    this.#deps = deps;
  }

  /** The most jobs at once, for any model. */
  get sequences(): number {
    const { threads, sequences } = this.#deps;
    return chooseSequences(threads, sequences);
  }

  /** Free memory of the GPU in MiB, in steps. Null if the limits forbid the GPU, and where it is unknown or shared. */
  get vramMb(): number | null {
    const freeMb = this.#deps.vramMb?.() ?? null;
    return gpuMemoryForModels({ backends: this.#allowedBackends(), freeMb }) === null ? null : freeMb;
  }

  /** Whether the model was inspected and fits. */
  fits(model: ModelFile): boolean {
    const fit = this.#fits.get(model.sha256);
    if (fit?.kind !== "fits") return false;
    // A backend that has crashed since then rests.
    return !fit.needsGpu || this.#backendsFor(model).some((backend) => backend !== "cpu");
  }

  /** Whether the model fits, but not into RAM only. Its jobs then run on the GPU or not at all. */
  needsGpu({ sha256 }: ModelFile): boolean {
    const fit = this.#fits.get(sha256);
    return fit?.kind === "fits" && fit.needsGpu;
  }

  /** Whether the model fits into RAM as it was loaded, whatever a new load would do. */
  fitsRam(
    { sha256 }: ModelFile,
    loaded: { readonly contextTokens: number; readonly sequences: number },
  ): boolean {
    const figures = this.#deps.knowledge.figures(sha256);
    return figures !== null && bytesInRam(figures, loaded) <= (this.#allowedBytes ?? 0);
  }

  /** The context that this device offers for jobs of the model. Null unless the model is known to fit. */
  contextTokens({ sha256, contextTokens }: ModelFile): number | null {
    const fit = this.#fits.get(sha256);
    if (fit?.kind !== "fits") return null;
    return fit.isWhole ? contextTokens : contextOffer(fit.contextTokens, contextTokens);
  }

  speed(sha256: string): MeasuredSpeed | null {
    return this.#deps.knowledge.speed(sha256);
  }

  planFor(model: ModelFile): LoadPlan {
    const { threads, knowledge } = this.#deps;
    const fit = this.#fits.get(model.sha256);
    const { contextTokens, sequences, gpuLayers, needsGpu } =
      fit?.kind === "fits"
        ? fit
        : { contextTokens: model.contextTokens, sequences: 1, gpuLayers: null, needsGpu: false };
    const backends = this.#backendsFor(model);
    const onGpu = backends.filter((backend) => backend !== "cpu");
    return {
      threads,
      contextTokens,
      sequences,
      backends: needsGpu && onGpu.length > 0 ? onGpu : backends,
      gpuLayers: gpuLayers ?? "auto",
      spareBytes: this.#spareBytes(model),
      measure: knowledge.speed(model.sha256) === null,
    };
  }

  /** Applies new limits and samples the free memory again, because other programs change it. */
  setLimits(limits: PlanLimits, models: readonly ModelFile[]): void {
    this.#limits = limits;
    this.#allowedBytes = this.#sampleMemory();
    for (const model of models) this.#fit(model);
  }

  /** The GPU's free memory has changed. */
  gpuChanged(models: readonly ModelFile[]): void {
    for (const model of models) this.#fit(model);
  }

  /**
   * Fits models that are new here, and those whose context the organization has changed. Models that were inspected
   * before, perhaps in an earlier run of the program, need no process for it.
   */
  refit(models: readonly ModelFile[]): void {
    for (const model of models) {
      if (this.#fittedTokens.get(model.sha256) !== model.contextTokens) this.#fit(model);
    }
  }

  /**
   * Inspects models that were never inspected here, or not since this program counts a GPU's memory, and fits those again
   * that were too large. Returns whether any model's fit has changed.
   * @param goOn called before each inspection, which needs a process. False ends the work.
   */
  async learn(models: readonly ModelFile[], goOn = (): boolean => true): Promise<boolean> {
    const { knowledge, inspect, log } = this.#deps;
    let changed = false;
    if (!models.every((model) => this.fits(model))) {
      this.#allowedBytes = this.#sampleMemory();
      if (this.#allowedBackends().some((backend) => backend !== "cpu")) await this.#deps.lookAtGpu?.();
    }
    for (const model of models) {
      const before = this.#fits.get(model.sha256)?.kind;
      const known = knowledge.figures(model.sha256);
      const isNew = known === null || (known.gpu === undefined && this.vramMb !== null);
      if (isNew) {
        if (!goOn()) break;
        const figures = await inspect(model);
        if (figures === null) {
          log("warn", "model.not-inspected", { modelId: model.modelId });
          continue;
        }
        knowledge.setFigures(model.sha256, figures);
      }
      if (isNew || before !== "fits") this.#fit(model);
      changed ||= this.#fits.get(model.sha256)?.kind !== before;
    }
    return changed;
  }

  measured(model: ModelFile, speed: MeasuredSpeed): void {
    this.#deps.knowledge.addSpeed(model.sha256, speed, this.#deps.threads);
  }

  /** A model was used with a backend: a job was done, or the runner's process crashed. */
  usedBackend(sha256: string, backend: Backend, how: "worked" | "crashed"): void {
    if (how === "worked") {
      this.#faults.worked(sha256, backend);
      return;
    }
    const forMs = this.#faults.crashed(sha256, backend);
    if (forMs > 0) this.#deps.log("warn", "model.backend-rests", { sha256, backend, forMs });
  }

  /** A model that fits only into the GPU's memory could not be loaded there. It is not offered for a while. */
  gpuRefused(model: ModelFile): void {
    for (const backend of this.#backendsFor(model)) {
      const forMs = this.#faults.refused(model.sha256, backend);
      if (forMs > 0) this.#deps.log("warn", "model.backend-rests", { sha256: model.sha256, backend, forMs });
    }
    this.#fit(model);
  }

  #allowedBackends(): readonly Backend[] {
    const { platform = process.platform, arch = process.arch } = this.#deps;
    const { gpu, deniedGpus = [] } = this.#limits;
    return backendOrder({ platform, arch, gpu, someDenied: deniedGpus.length > 0 });
  }

  #backendsFor({ sha256 }: ModelFile): readonly Backend[] {
    return this.#allowedBackends().filter((backend) => !this.#faults.isPassedOver(sha256, backend));
  }

  /**
   * Memory left for computing vectors with a model that was not made for it. That is rare, so no memory is reserved.
   * Undefined for embedding models, whose fit includes it.
   */
  #spareBytes({ sha256 }: ModelFile): number | undefined {
    const fit = this.#fits.get(sha256);
    const isCounted = (this.#deps.knowledge.figures(sha256)?.embeddingTokenBytes ?? 0) > 0;
    if (isCounted || fit?.kind !== "fits" || this.#allowedBytes === null) return undefined;
    return Math.max(0, this.#allowedBytes - fit.bytes);
  }

  #sampleMemory(): number {
    const { memoryMb } = this.#limits;
    this.#freeBytes = this.#deps.memoryBytes() ?? this.#freeBytes;
    return Math.min(memoryMb === null ? Infinity : memoryMb * 2 ** 20, this.#freeBytes);
  }

  #fit(model: ModelFile): void {
    const figures = this.#deps.knowledge.figures(model.sha256);
    if (figures === null) return;
    const freeMb = this.#deps.vramMb?.() ?? null;
    const memory: MemoryForModels = {
      ramBytes: (this.#allowedBytes ??= this.#sampleMemory()),
      vramBytes: gpuMemoryForModels({ backends: this.#backendsFor(model), freeMb }),
    };
    const wanted = { contextTokens: model.contextTokens, sequences: this.sequences };
    const fit = fitModel(figures, wanted, memory);
    const isSame = this.#fittedTokens.get(model.sha256) === model.contextTokens;
    const before = isSame ? this.#fits.get(model.sha256) : undefined;
    this.#fittedTokens.set(model.sha256, model.contextTokens);
    if (isGoodEnough(before, fit, memory)) return;
    this.#fits.set(model.sha256, fit);
    if (fit.kind === "too-large" && before?.kind !== "too-large") {
      const toMb = (size: number): number => Math.round(size / 2 ** 20);
      const size = { needMb: toMb(fit.needBytes), freeMb: toMb(memory.ramBytes), vramFreeMb: freeMb };
      this.#deps.log("info", "model.too-large", { modelId: model.modelId, ...size });
    }
  }
}

/** Whether the plan of before still fits, and the new one would not use much more of either memory. */
function isGoodEnough(before: Fit | undefined, fit: Fit, { ramBytes, vramBytes }: MemoryForModels): boolean {
  if (before?.kind !== "fits" || fit.kind !== "fits") return false;
  if (before.bytes > ramBytes || before.vramBytes > (vramBytes ?? 0)) return false;
  // Only a plan that also fits into RAM may fall back to the CPU.
  if (before.needsGpu !== fit.needsGpu) return false;
  const layersOf = ({ gpuLayers }: typeof fit): number => gpuLayers?.most ?? 0;
  if (layersOf(fit) > layersOf(before)) return false;
  return fit.bytes + fit.vramBytes < (before.bytes + before.vramBytes) * worthReload;
}
