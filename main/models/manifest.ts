import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { modelManifest } from "../../app/contract/model-manifest.ts";
import type { ModelFile } from "../../app/contract/runner.ts";

/** Resolves to null if `path` does not exist. Throws if the manifest is invalid. */
export async function readManifest(path: string): Promise<ModelFile | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return null;
  }
  const { id, file, sha256, sizeBytes, contextTokens } = modelManifest.parse(JSON.parse(text));
  return { modelId: id, path: join(dirname(path), file), sha256, sizeBytes, contextTokens };
}
