import { InsufficientMemoryError } from "node-llama-cpp";
import { internalError, jobErrors } from "../../../app/contract/job-errors.ts";
import type { LoadPlan, LoadReport, ModelFile, RunOutcome } from "../../../app/contract/runner.ts";
import { type FileStamp, stampOf, verifyFile } from "../../store/verify-file.ts";
import { fullPace, type Pace } from "../process/duty-cycle.ts";
import type { Libraries } from "./libraries.ts";
import { type LoadedModel, loadModel } from "./load-model.ts";

type LoadOutcome =
  | { readonly kind: "loaded"; readonly loaded: LoadedModel; readonly loadMs: number }
  | Exclude<RunOutcome, { readonly kind: "done" }>;

type Kept = { readonly loaded: LoadedModel; readonly key: string; readonly stamp: FileStamp };

/** Jobs whose loads have the same key can share one loaded model. */
export function loadKey(file: ModelFile, plan: LoadPlan): string {
  const { contextTokens, sequences, backends, gpuLayers } = plan;
  const { path, sha256, template = null } = file;
  return JSON.stringify([path, sha256, template, contextTokens, sequences, backends, gpuLayers]);
}

/** The one model in memory. It stays until a job needs another load. */
export class ModelSlot {
  readonly #libraries: Libraries;
  #kept: Kept | null = null;

  constructor(libraries: Libraries) {
    this.#libraries = libraries;
  }

  /**
   * Checks the file's SHA-256 before every load, and before every reuse that the file has not changed since.
   * @param start called before each of the two long steps, which cannot be paused once they run.
   */
  async load(file: ModelFile, plan: LoadPlan, signal: AbortSignal, start = fullPace): Promise<LoadOutcome> {
    const key = loadKey(file, plan);
    if (this.#kept?.key === key && (await stampOf(file.path))?.stamp === this.#kept.stamp) {
      return { kind: "loaded", loaded: this.#kept.loaded, loadMs: 0 };
    }
    if (!(await mayStart(start, signal))) return { kind: "aborted" };
    const startedAt = performance.now();
    await this.unload();
    const verified = await verifyFile(file, signal);
    if (verified.kind === "aborted") return verified;
    if (verified.kind === "missing") return { kind: "failed", error: jobErrors.modelMissing };
    if (verified.kind === "corrupt") return { kind: "failed", error: jobErrors.modelCorrupt };
    if (!(await mayStart(start, signal))) return { kind: "aborted" };
    const { stamp } = verified;
    try {
      this.#kept = { loaded: await this.#loadByOrder(file, plan, signal), key, stamp };
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      const memory = error instanceof InsufficientMemoryError;
      return { kind: "failed", error: memory ? jobErrors.outOfMemory : internalError("loading", error) };
    }
    if ((await stampOf(file.path))?.stamp !== stamp) {
      await this.unload();
      return { kind: "failed", error: jobErrors.modelCorrupt };
    }
    const loadMs = Math.round(performance.now() - startedAt);
    return { kind: "loaded", loaded: this.#kept.loaded, loadMs };
  }

  async unload(): Promise<void> {
    const model = this.#kept?.loaded.model;
    this.#kept = null;
    await model?.dispose();
  }

  /** Tries the plan's backends in their order, the CPU last. */
  async #loadByOrder(file: ModelFile, plan: LoadPlan, signal: AbortSignal): Promise<LoadedModel> {
    const passedOver: LoadReport["passedOver"][number][] = [];
    for (const backend of [...plan.backends.filter((each) => each !== "cpu"), "cpu" as const]) {
      const found = await this.#libraries.get(backend, plan.threads);
      if (found.kind === "missing") {
        passedOver.push({ backend, why: found.why });
        continue;
      }
      try {
        return await loadModel(found.llama, backend, file, plan, passedOver, signal);
      } catch (error) {
        if (backend === "cpu" || signal.aborted) throw error;
        const memory = error instanceof InsufficientMemoryError;
        passedOver.push({
          backend,
          why: memory ? "too little memory is free on it" : "it could not load the model",
        });
      }
    }
    throw new Error("no backend");
  }
}

async function mayStart(start: Pace, signal: AbortSignal): Promise<boolean> {
  const wait = start();
  if (wait !== null) await wait;
  return !signal.aborted;
}
