import { InsufficientMemoryError } from "node-llama-cpp";
import { internalError, jobErrors } from "../../../app/contract/job-errors.ts";
import type { LoadPlan, LoadReport, ModelFile, ModelLoad, RunOutcome } from "../../../app/contract/runner.ts";
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

/** A load under way. It belongs to nobody: the job that began it may be canceled. */
type Load = {
  readonly key: string;
  readonly abort: AbortController;
  readonly outcome: Promise<LoadOutcome>;
  /** The long steps have begun. Before that, an abort of its job ends the load. */
  begun: boolean;
};

/** The pace of a load, for its own abort signal. */
type LoadPace = (signal: AbortSignal) => Pace;

/** Called when a load begins, with each backend that it tries, and with null when it has ended. */
export type OnLoading = (load: ModelLoad | null) => void;

/** The one model in memory. It stays until a job needs another load. */
export class ModelSlot {
  readonly #libraries: Libraries;
  readonly #onLoading: OnLoading;
  #kept: Kept | null = null;
  #loading: Load | null = null;

  constructor(libraries: Libraries, onLoading: OnLoading = () => undefined) {
    this.#libraries = libraries;
    this.#onLoading = onLoading;
  }

  /**
   * Checks the file's SHA-256 before every load, and before every reuse that the file has not changed since. Call it for
   * one job at a time. An abort ends the wait at once but not the load, because the next job probably wants the same
   * model. Otherwise a requester who submits and cancels again and again would make the device load forever. A load that
   * no job waits for ends when another one is wanted.
   * @param start called before each of the two long steps, which cannot be paused once they run.
   */
  async load(
    file: ModelFile,
    plan: LoadPlan,
    signal: AbortSignal,
    start: LoadPace = () => fullPace,
  ): Promise<LoadOutcome> {
    const key = loadKey(file, plan);
    if (this.#loading !== null && this.#loading.key !== key) {
      this.#loading.abort.abort();
      await this.#loading.outcome;
    }
    if (this.#kept?.key === key && (await stampOf(file.path))?.stamp === this.#kept.stamp) {
      return { kind: "loaded", loaded: this.#kept.loaded, loadMs: 0 };
    }
    if (signal.aborted) return { kind: "aborted" };
    const loading = (this.#loading ??= this.#begin(key, file, plan, start));
    const { promise: aborted, resolve } = Promise.withResolvers<LoadOutcome>();
    const leave = (): void => {
      if (!loading.begun) loading.abort.abort();
      resolve({ kind: "aborted" });
    };
    signal.addEventListener("abort", leave, { once: true });
    const outcome = await Promise.race([loading.outcome, aborted]);
    signal.removeEventListener("abort", leave);
    return outcome;
  }

  #begin(key: string, file: ModelFile, plan: LoadPlan, start: LoadPace): Load {
    const abort = new AbortController();
    const { promise: outcome, resolve } = Promise.withResolvers<LoadOutcome>();
    const loading: Load = { key, abort, outcome, begun: false };
    void this.#run(loading, file, plan, start(abort.signal)).then((ended) => {
      this.#loading = null;
      this.#onLoading(null);
      resolve(ended);
    });
    return loading;
  }

  async #run(loading: Load, file: ModelFile, plan: LoadPlan, start: Pace): Promise<LoadOutcome> {
    const { signal } = loading.abort;
    try {
      if (!(await mayStart(start, signal))) return { kind: "aborted" };
      loading.begun = true;
      this.#onLoading({ sha256: file.sha256, backend: null });
      const startedAt = performance.now();
      await this.unload();
      const verified = await verifyFile(file, signal);
      if (verified.kind === "aborted") return verified;
      if (verified.kind === "missing") return { kind: "failed", error: jobErrors.modelMissing };
      if (verified.kind === "corrupt") return { kind: "failed", error: jobErrors.modelCorrupt };
      if (!(await mayStart(start, signal))) return { kind: "aborted" };
      const { stamp } = verified;
      const loaded = await this.#loadByOrder(file, plan, signal);
      this.#kept = { loaded, key: loading.key, stamp };
      if ((await stampOf(file.path))?.stamp !== stamp) {
        await this.unload();
        return { kind: "failed", error: jobErrors.modelCorrupt };
      }
      return { kind: "loaded", loaded, loadMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      const memory = error instanceof InsufficientMemoryError;
      return { kind: "failed", error: memory ? jobErrors.outOfMemory : internalError("loading", error) };
    }
  }

  async unload(): Promise<void> {
    const model = this.#kept?.loaded.model;
    this.#kept = null;
    await model?.dispose();
  }

  /** Tries the plan's backends in their order. Throws what the last one throws. */
  async #loadByOrder(file: ModelFile, plan: LoadPlan, signal: AbortSignal): Promise<LoadedModel> {
    const passedOver: LoadReport["passedOver"][number][] = [];
    const last = plan.backends.at(-1);
    for (const backend of plan.backends) {
      const found = await this.#libraries.get(backend, plan.threads);
      if (found.kind === "missing") {
        passedOver.push({ backend, why: found.why });
        continue;
      }
      this.#onLoading({ sha256: file.sha256, backend });
      try {
        return await loadModel(found.llama, backend, file, plan, passedOver, signal);
      } catch (error) {
        if (backend === last || signal.aborted) throw error;
        const memory = error instanceof InsufficientMemoryError;
        passedOver.push({
          backend,
          why: memory ? "too little memory is free on it" : "it could not load the model",
        });
      }
    }
    // The model fits only into a GPU's memory, and no library for a GPU works here.
    throw new InsufficientMemoryError("no backend");
  }
}

async function mayStart(start: Pace, signal: AbortSignal): Promise<boolean> {
  const wait = start();
  if (wait !== null) await wait;
  return !signal.aborted;
}
