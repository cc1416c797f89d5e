import { type GgufFileInfo, GgufInsights, readGgufFileInfo } from "node-llama-cpp";
import type { ModelFigures, ModelFile } from "../../../app/contract/runner.ts";
import { batchTokens } from "./batch-tokens.ts";
import type { Libraries } from "./libraries.ts";

/** Two context lengths, from which follows what each token costs. */
const shorter = 512;
const longer = 4_096;

/**
 * What the head of a model's file says of the memory that the model takes, by the library's own estimates. Null where
 * it cannot be read. In the runner's process only: a broken file can end it.
 */
export async function inspectModel(libraries: Libraries, file: ModelFile): Promise<ModelFigures | null> {
  try {
    const library = await libraries.get("cpu", 1);
    if (library.kind === "missing") return null;
    const info = await readGgufFileInfo(file.path, { readTensorInfo: true, sourceType: "filesystem" });
    const insights = await GgufInsights.from(info, library.llama);
    const estimate = async (contextSize: number, isEmbeddingContext: boolean): Promise<number> =>
      (
        await insights.estimateContextResourceRequirementsV2({
          ...{ contextSize, isEmbeddingContext, sequences: 1, modelGpuLayers: 0 },
          // A text whose vector is asked for is read in one piece.
          batchSize: isEmbeddingContext ? contextSize : batchTokens.cpu,
        })
      ).cpuRam;
    const context = await lineThrough((tokens) => estimate(tokens, false), shorter, longer);
    // What that takes grows a little faster than its length: up to the length that is wanted, the line is above it.
    const embedding = isForEmbeddings(info)
      ? await lineThrough((tokens) => estimate(tokens, true), shorter, Math.max(longer, file.contextTokens))
      : { bytes: 0, tokenBytes: 0 };
    const model = await insights.estimateModelResourceRequirementsV2({ gpuLayers: 0 });
    return {
      modelBytes: model.cpuRam,
      contextBytes: context.bytes,
      tokenBytes: context.tokenBytes,
      embeddingBytes: embedding.bytes,
      embeddingTokenBytes: embedding.tokenBytes,
      trainedTokens: insights.trainContextSize ?? file.contextTokens,
      layers: insights.totalLayers,
    };
  } catch {
    return null;
  }
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

/** Its file says how the vectors of a text's tokens become one. Other models can be asked for vectors, too, and rarely are. */
function isForEmbeddings({ architectureMetadata }: GgufFileInfo): boolean {
  const pooling: number | undefined = architectureMetadata.pooling_type;
  return pooling !== undefined && pooling > 0;
}
