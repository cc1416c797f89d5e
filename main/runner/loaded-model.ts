import {
  type ChatWrapper,
  getLlama,
  InsufficientMemoryError,
  type Llama,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  resolveChatWrapper,
} from "node-llama-cpp";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { JobError } from "../../app/jobs/chat.ts";
import { type FileStamp, stampOf, verifyFile } from "../models/verify-file.ts";
import { internalError, jobErrors } from "./job-errors.ts";
import { lowerPriority } from "./priority.ts";

export type LoadedModel = {
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly wrapper: ChatWrapper;
};

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly loaded: LoadedModel; readonly loadMs: number }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

type Kept = LoadedModel & { readonly key: string; readonly stamp: FileStamp };

/** The one model in memory: kept between jobs that ask for the same file, else replaced. */
export class ModelSlot {
  #llama: Llama | null = null;
  #kept: Kept | null = null;

  /** Verifies the file's SHA-256 before every load, and that it is still that file before every reuse. */
  async load(file: ModelFile, threads: number, signal: AbortSignal): Promise<LoadOutcome> {
    const startedAt = performance.now();
    const key = JSON.stringify([file.path, file.sha256, file.contextTokens, threads]);
    if (this.#kept?.key === key && (await stampOf(file.path))?.stamp === this.#kept.stamp) {
      return { kind: "loaded", loaded: this.#kept, loadMs: 0 };
    }
    await this.unload();
    const verified = await verifyFile(file, signal);
    if (verified.kind === "aborted") return verified;
    if (verified.kind === "missing") return { kind: "failed", error: jobErrors.modelMissing };
    if (verified.kind === "corrupt") return { kind: "failed", error: jobErrors.modelCorrupt };
    try {
      this.#kept = { ...(await this.#open(file, threads, signal)), key, stamp: verified.stamp };
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      const memory = error instanceof InsufficientMemoryError;
      return { kind: "failed", error: memory ? jobErrors.outOfMemory : internalError("loading", error) };
    }
    if ((await stampOf(file.path))?.stamp !== verified.stamp) {
      await this.unload();
      return { kind: "failed", error: jobErrors.modelCorrupt };
    }
    return { kind: "loaded", loaded: this.#kept, loadMs: Math.round(performance.now() - startedAt) };
  }

  async unload(): Promise<void> {
    const model = this.#kept?.model;
    this.#kept = null;
    await model?.dispose();
  }

  async #open(file: ModelFile, threads: number, signal: AbortSignal): Promise<LoadedModel> {
    lowerPriority();
    this.#llama ??= await getLlama({
      gpu: false,
      build: "never",
      maxThreads: threads,
      logLevel: LlamaLogLevel.error,
    });
    this.#llama.maxThreads = threads;
    const model = await this.#llama.loadModel({ modelPath: file.path, loadSignal: signal });
    try {
      const context = await model.createContext({
        contextSize: file.contextTokens,
        // Prompts are evaluated in slices no larger than this: a larger batch would only cost memory.
        batchSize: Math.min(64, file.contextTokens),
        threads,
        createSignal: signal,
      });
      // Which of the wrappers fits takes a third of a second to find out: once a model, not once a job.
      const wrapper = resolveChatWrapper(model);
      lowerPriority();
      return { model, sequence: context.getSequence(), wrapper };
    } catch (error) {
      await model.dispose();
      throw error;
    }
  }
}
