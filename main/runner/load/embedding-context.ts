import type { LlamaEmbeddingContext, LlamaModel } from "node-llama-cpp";
import type { LoadPlan } from "../../../app/contract/runner.ts";

export type EmbeddingContext =
  /** `contextTokens`: how long a text may be. */
  | { readonly kind: "open"; readonly context: LlamaEmbeddingContext; readonly contextTokens: number }
  /** There is no room for it beside the model. */
  | { readonly kind: "no-room" }
  /** The model is none that can. */
  | { readonly kind: "unsuitable" };

/** A context for shorter texts is of no use. */
const shortestContext = 512;

/**
 * A context of its own, in which a model reads each text in one piece: on that depends how much it takes. One as long as
 * there is room for by the library's estimate, where the plan has not counted it.
 */
export async function openEmbeddingContext(
  model: LlamaModel,
  plan: Pick<LoadPlan, "contextTokens" | "threads" | "spareBytes">,
): Promise<EmbeddingContext> {
  const { spareBytes = Infinity, threads } = plan;
  try {
    for (let tokens = plan.contextTokens; ; tokens = Math.floor(tokens / 2)) {
      const size = { contextSize: tokens, batchSize: tokens };
      if (spareBytes === Infinity || (await bytesOf(model, size)) <= spareBytes) {
        const context = await model.createEmbeddingContext({ ...size, threads });
        return { kind: "open", context, contextTokens: tokens };
      }
      if (tokens < 2 * shortestContext) return { kind: "no-room" };
    }
  } catch {
    return { kind: "unsuitable" };
  }
}

async function bytesOf(
  { fileInsights, gpuLayers }: LlamaModel,
  size: { readonly contextSize: number; readonly batchSize: number },
): Promise<number> {
  const { cpuRam } = await fileInsights.estimateContextResourceRequirementsV2({
    ...{ ...size, isEmbeddingContext: true, sequences: 1, modelGpuLayers: gpuLayers },
  });
  return cpuRam;
}
