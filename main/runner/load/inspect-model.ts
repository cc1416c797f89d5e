import { type GgufFileInfo, GgufInsights, readGgufFileInfo } from "node-llama-cpp";
import type { ModelFigures, ModelFile } from "../../../app/contract/runner.ts";
import { batchTokens } from "./batch-tokens.ts";
import type { Libraries } from "./libraries.ts";

/** The estimates for two context lengths tell the cost of each token. */
const shorter = 512;
const longer = 4_096;
/** A model is split between RAM and a GPU in steps of an eighth. */
const splits = 8;

/**
 * The memory that a model takes, by the library's estimates from the head of its file. Null if the file cannot be read.
 * Only the runner may call this: a broken file can end the process.
 */
export async function inspectModel(libraries: Libraries, file: ModelFile): Promise<ModelFigures | null> {
  try {
    const library = await libraries.get("cpu", 1);
    if (library.kind === "missing") return null;
    const info = await readGgufFileInfo(file.path, { readTensorInfo: true, sourceType: "filesystem" });
    const insights = await GgufInsights.from(info, library.llama);
    const estimate = async (
      contextSize: number,
      isEmbeddingContext: boolean,
      batch: number = batchTokens.cpu,
    ): Promise<number> => {
      const { cpuRam } = await insights.estimateContextResourceRequirementsV2({
        contextSize,
        isEmbeddingContext,
        sequences: 1,
        modelGpuLayers: 0,
        // An embedding context reads each text in one piece.
        batchSize: isEmbeddingContext ? contextSize : batch,
      });
      return cpuRam;
    };
    const context = await lineThrough((tokens) => estimate(tokens, false), shorter, longer);
    // An embedding context grows a little faster than linearly: up to the far length, the line is above it.
    const embedding = isForEmbeddings(info)
      ? await lineThrough((tokens) => estimate(tokens, true), shorter, Math.max(longer, file.contextTokens))
      : { bytes: 0, tokenBytes: 0 };
    const model = await insights.estimateModelResourceRequirementsV2({ gpuLayers: 0 });
    const onGpu = await lineThrough((tokens) => estimate(tokens, false, batchTokens.gpu), shorter, longer);
    return {
      modelBytes: model.cpuRam,
      contextBytes: context.bytes,
      tokenBytes: context.tokenBytes,
      embeddingBytes: embedding.bytes,
      embeddingTokenBytes: embedding.tokenBytes,
      trainedTokens: insights.trainContextSize ?? file.contextTokens,
      layers: insights.totalLayers,
      gpu: {
        steps: await gpuSteps(insights),
        contextBytes: onGpu.bytes,
        tokenBytes: onGpu.tokenBytes,
      },
    };
  } catch {
    return null;
  }
}

/** The weights' memory for some numbers of layers on a GPU, always with all of them. Needs no GPU. */
async function gpuSteps(insights: GgufInsights): Promise<NonNullable<ModelFigures["gpu"]>["steps"]> {
  const { totalLayers } = insights;
  const counts = Array.from({ length: splits }, (_, index) =>
    Math.ceil((totalLayers * (index + 1)) / splits),
  );
  const steps = [];
  for (const layers of new Set(counts)) {
    const { cpuRam, gpuVram } = await insights.estimateModelResourceRequirementsV2({ gpuLayers: layers });
    steps.push({ layers, ramBytes: cpuRam, vramBytes: gpuVram });
  }
  return steps;
}

async function lineThrough(
  bytesOf: (tokens: number) => Promise<number>,
  near: number,
  far: number,
): Promise<{ readonly bytes: number; readonly tokenBytes: number }> {
  const [least, most] = [await bytesOf(near), await bytesOf(far)];
  const tokenBytes = Math.max(0, (most - least) / (far - near));
  return { bytes: Math.max(0, least - near * tokenBytes), tokenBytes };
}

/** Such a file says how to pool its token vectors into one. Other models are rarely asked for vectors. */
function isForEmbeddings({ architectureMetadata }: GgufFileInfo): boolean {
  const pooling: number | undefined = architectureMetadata.pooling_type;
  return pooling !== undefined && pooling > 0;
}
