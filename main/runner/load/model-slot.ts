import {
  type ChatWrapper,
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaModel,
  resolveChatWrapper,
} from "node-llama-cpp";
import { internalError, jobErrors } from "../../../app/contract/job-errors.ts";
import type { Backend, LoadPlan, LoadReport, ModelFile } from "../../../app/contract/runner.ts";
import type { JobError } from "../../../app/jobs/chat.ts";
import { type FileStamp, stampOf, verifyFile } from "../../models/verify-file.ts";
import { fullPace, type Pace } from "../process/duty-cycle.ts";
import { lowerPriority } from "../process/priority.ts";
import { batchTokens } from "./batch-tokens.ts";
import { type EmbeddingContext, openEmbeddingContext } from "./embedding-context.ts";
import type { Libraries } from "./libraries.ts";
import { Sequences } from "./sequences.ts";

export type LoadedModel = {
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly sequences: Sequences;
  readonly contextTokens: number;
  readonly batchTokens: number;
  readonly wrapper: ChatWrapper;
  readonly report: LoadReport;
  /** Made when it is first asked for. */
  readonly embedding: () => Promise<EmbeddingContext>;
};

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly loaded: LoadedModel; readonly loadMs: number }
  | { readonly kind: "failed"; readonly error: JobError }
  | { readonly kind: "aborted" };

type Kept = LoadedModel & { readonly key: string; readonly stamp: FileStamp };

/** Two loads with the same one are the same load. */
export function loadKey(file: ModelFile, plan: LoadPlan): string {
  const { contextTokens, sequences, backends, gpuLayers } = plan;
  const { path, sha256, template = null } = file;
  return JSON.stringify([path, sha256, template, contextTokens, sequences, backends, gpuLayers]);
}

/** The one model in memory: kept between jobs that ask for the same load, else replaced. */
export class ModelSlot {
  readonly #libraries: Libraries;
  #kept: Kept | null = null;

  constructor(libraries: Libraries) {
    this.#libraries = libraries;
  }

  /**
   * Verifies the file's SHA-256 before every load, and that it is still that file before every reuse.
   * @param start asked before each of the two long steps, neither of which can rest.
   */
  async load(file: ModelFile, plan: LoadPlan, signal: AbortSignal, start = fullPace): Promise<LoadOutcome> {
    const key = loadKey(file, plan);
    if (this.#kept?.key === key && (await stampOf(file.path))?.stamp === this.#kept.stamp) {
      return { kind: "loaded", loaded: this.#kept, loadMs: 0 };
    }
    if (!(await begins(start, signal))) return { kind: "aborted" };
    const startedAt = performance.now();
    await this.unload();
    const verified = await verifyFile(file, signal);
    if (verified.kind === "aborted") return verified;
    if (verified.kind === "missing") return { kind: "failed", error: jobErrors.modelMissing };
    if (verified.kind === "corrupt") return { kind: "failed", error: jobErrors.modelCorrupt };
    if (!(await begins(start, signal))) return { kind: "aborted" };
    try {
      this.#kept = { ...(await this.#open(file, plan, signal)), key, stamp: verified.stamp };
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

  async #open(file: ModelFile, plan: LoadPlan, signal: AbortSignal): Promise<LoadedModel> {
    const passedOver: { backend: Backend; why: string }[] = [];
    for (const backend of [...plan.backends.filter((each) => each !== "cpu"), "cpu" as const]) {
      const found = await this.#libraries.get(backend, plan.threads);
      if (found.kind === "missing") {
        passedOver.push({ backend, why: found.why });
        continue;
      }
      try {
        return await open(found.llama, backend, file, plan, passedOver, signal);
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

async function begins(start: Pace, signal: AbortSignal): Promise<boolean> {
  const wait = start();
  if (wait !== null) await wait;
  return !signal.aborted;
}

async function open(
  llama: Llama,
  backend: Backend,
  file: ModelFile,
  plan: LoadPlan,
  passedOver: LoadReport["passedOver"],
  signal: AbortSignal,
): Promise<LoadedModel> {
  lowerPriority();
  const { contextTokens, sequences, threads } = plan;
  const model = await llama.loadModel({
    modelPath: file.path,
    loadSignal: signal,
    ...(backend === "cpu"
      ? { gpuLayers: 0 }
      : {
          gpuLayers:
            plan.gpuLayers === "auto"
              ? { fitContext: { contextSize: contextTokens * sequences } }
              : plan.gpuLayers,
        }),
  });
  try {
    // With none of its layers on the GPU, the library for the CPU alone is the faster one.
    if (backend !== "cpu" && model.gpuLayers === 0) throw new InsufficientMemoryError("no layer fits");
    const slice = Math.min(backend === "cpu" ? batchTokens.cpu : batchTokens.gpu, contextTokens);
    const context: LlamaContext = await model.createContext({
      contextSize: contextTokens,
      sequences,
      batchSize: slice + sequences - 1,
      threads,
      createSignal: signal,
      failedCreationRemedy: false,
    });
    // Which of the wrappers fits takes a third of a second to find out: once a model, not once a job.
    const wrapper = wrapperOf(model, file.template);
    lowerPriority();
    const report = {
      modelId: file.modelId,
      loadMs: 0,
      backend,
      gpuLayers: model.gpuLayers,
      contextTokens: context.contextSize,
      sequences,
      passedOver,
    };
    let embedding: Promise<EmbeddingContext> | null = null;
    return {
      ...{ llama, model, wrapper, report },
      sequences: new Sequences(context),
      contextTokens: Math.min(contextTokens, context.contextSize),
      batchTokens: slice,
      embedding: () => {
        embedding ??= openEmbeddingContext(model, plan);
        return embedding;
      },
    };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

/** By the template that is given, else by the file's own. Throws where the one that is given is none. */
function wrapperOf(model: LlamaModel, template: string | undefined): ChatWrapper {
  if (template === undefined) return resolveChatWrapper(model);
  return resolveChatWrapper(model, {
    customWrapperSettings: { jinjaTemplate: { template } },
    fallbackToOtherWrappersOnJinjaError: false,
  });
}
