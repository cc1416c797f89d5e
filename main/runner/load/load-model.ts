import {
  type ChatWrapper,
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaModel,
  type LlamaModelOptions,
  resolveChatWrapper,
} from "node-llama-cpp";
import type { LoadPlan, LoadReport, ModelFile } from "../../../app/contract/runner.ts";
import type { Backend } from "../../../app/contract/speed.ts";
import { batchTokens } from "./batch-tokens.ts";
import { type EmbeddingContext, openEmbeddingContext } from "./embedding-context.ts";
import { reorderOutputsOnce } from "./reordered-outputs.ts";
import { Sequences } from "./sequences.ts";
import { SharedBatches } from "./shared-batches.ts";

export type LoadedModel = {
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly sequences: Sequences;
  readonly batches: SharedBatches;
  /** The most jobs side by side. */
  readonly jobsAtOnce: number;
  readonly contextTokens: number;
  /** The context with enough memory: the catalog's, but no more than the model was made for. */
  readonly wholeContextTokens: number;
  readonly batchTokens: number;
  readonly wrapper: ChatWrapper;
  readonly report: LoadReport;
  /** Created at its first use. */
  readonly embedding: () => Promise<EmbeddingContext>;
};

/** Loads a model with one backend and creates its context. Throws what the library throws. */
export async function loadModel(
  llama: Llama,
  backend: Backend,
  file: ModelFile,
  plan: LoadPlan,
  passedOver: LoadReport["passedOver"],
  signal: AbortSignal,
): Promise<LoadedModel> {
  const { contextTokens, sequences, threads } = plan;
  const model = await llama.loadModel({
    modelPath: file.path,
    loadSignal: signal,
    gpuLayers: gpuLayersFor(backend, plan),
  });
  try {
    // With no layer on the GPU, the library for the CPU is faster.
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
    reorderOutputsOnce(context);
    // Finding the right wrapper takes a third of a second: do it once for each load, not for each job.
    const wrapper = resolveWrapper(model, file.template);
    const batches = new SharedBatches();
    let embedding: Promise<EmbeddingContext> | null = null;
    return {
      llama,
      model,
      wrapper,
      sequences: new Sequences(context, batches),
      batches,
      jobsAtOnce: jobsAtOnce(backend, sequences),
      contextTokens: Math.min(contextTokens, context.contextSize),
      wholeContextTokens: Math.min(file.contextTokens, model.trainContextSize),
      batchTokens: slice,
      report: {
        modelId: file.modelId,
        loadMs: 0,
        backend,
        gpuLayers: model.gpuLayers,
        contextTokens: context.contextSize,
        sequences,
        passedOver,
      },
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

/**
 * How many jobs may share a batch. llama.cpp's Vulkan mixes up the sequences of a batch on some GPUs: on an H100, four
 * answers side by side were wrong, and one after another in the same context they were right.
 */
export function jobsAtOnce(backend: Backend, sequences: number): number {
  return backend === "vulkan" ? 1 : sequences;
}

/** With a range, the library takes as many layers as fit beside the context, and throws if that is less than the least. */
export function gpuLayersFor(
  backend: Backend,
  { gpuLayers, contextTokens, sequences }: Pick<LoadPlan, "gpuLayers" | "contextTokens" | "sequences">,
): NonNullable<LlamaModelOptions["gpuLayers"]> {
  if (backend === "cpu") return 0;
  const fitContext = { contextSize: contextTokens * sequences };
  return gpuLayers === "auto" ? { fitContext } : { min: gpuLayers.least, max: gpuLayers.most, fitContext };
}

/** By the given template, else by the file's own. Throws if the given one is not a valid template. */
function resolveWrapper(model: LlamaModel, template: string | undefined): ChatWrapper {
  if (template === undefined) return resolveChatWrapper(model);
  return resolveChatWrapper(model, {
    customWrapperSettings: { jinjaTemplate: { template } },
    fallbackToOtherWrappersOnJinjaError: false,
  });
}
