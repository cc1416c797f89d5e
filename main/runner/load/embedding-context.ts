import type { LlamaEmbeddingContext, LlamaModel } from "node-llama-cpp";
import type { LoadPlan } from "../../../app/contract/runner.ts";

export type EmbeddingContext =
  /** `contextTokens`: the longest text. */
  | { readonly kind: "open"; readonly context: LlamaEmbeddingContext; readonly contextTokens: number }
  /** The memory beside the model is too small. */
  | { readonly kind: "no-room" }
  /** The model cannot compute vectors. */
  | { readonly kind: "unsuitable" };

/** A context for shorter texts is of no use. */
const shortestContext = 512;

/**
 * Opens a second context, in which the model reads each text in one piece; its memory depends on the longest text. If
 * the plan has not counted that memory, the context is as long as the spare memory allows by the library's estimate.
 */
export async function openEmbeddingContext(
  model: LlamaModel,
  plan: Pick<LoadPlan, "contextTokens" | "threads" | "spareBytes">,
): Promise<EmbeddingContext> {
  const { spareBytes = Infinity, threads } = plan;
  try {
    for (let tokens = plan.contextTokens; ; tokens = Math.floor(tokens / 2)) {
      if (spareBytes === Infinity || (await estimateBytes(model, tokens)) <= spareBytes) {
        const context = await model.createEmbeddingContext({
          contextSize: tokens,
          batchSize: tokens,
          threads,
        });
        return { kind: "open", context, contextTokens: tokens };
      }
      if (tokens < 2 * shortestContext) return { kind: "no-room" };
    }
  } catch {
    return { kind: "unsuitable" };
  }
}

async function estimateBytes({ fileInsights, gpuLayers }: LlamaModel, tokens: number): Promise<number> {
  const { cpuRam } = await fileInsights.estimateContextResourceRequirementsV2({
    contextSize: tokens,
    batchSize: tokens,
    isEmbeddingContext: true,
    sequences: 1,
    modelGpuLayers: gpuLayers,
  });
  return cpuRam;
}
