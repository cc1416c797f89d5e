import { GgufInsights, readGgufFileInfo } from "node-llama-cpp";
import type { ModelFigures, ModelFile } from "../../app/contract/runner.ts";
import type { Libraries } from "./libraries.ts";

/** Two context lengths, from which follows what each token costs. */
const shorter = 512;
const longer = 4_096;
/** Prompts are read in slices of this size. */
const batchSize = 128;

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
    const contextBytes = async (contextSize: number): Promise<number> =>
      (
        await insights.estimateContextResourceRequirementsV2({
          contextSize,
          sequences: 1,
          modelGpuLayers: 0,
          batchSize,
        })
      ).cpuRam;
    const [least, most, model] = await Promise.all([
      contextBytes(shorter),
      contextBytes(longer),
      insights.estimateModelResourceRequirementsV2({ gpuLayers: 0 }),
    ]);
    const tokenBytes = Math.max(0, (most - least) / (longer - shorter));
    return {
      modelBytes: model.cpuRam,
      contextBytes: Math.max(0, least - shorter * tokenBytes),
      tokenBytes,
      trainedTokens: insights.trainContextSize ?? file.contextTokens,
      layers: insights.totalLayers,
    };
  } catch {
    return null;
  }
}
