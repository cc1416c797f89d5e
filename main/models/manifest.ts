import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { ModelFile } from "../../app/contract/runner.ts";

/** The manifest beside a model file that is shipped with the program; it has more fields than these. */
const manifest = z.object({
  id: z.string().min(1).max(200),
  file: z
    .string()
    .min(1)
    .refine((file) => file === basename(file), "has to be a name in the same folder"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().positive(),
  contextTokens: z.number().int().positive(),
});

/** Null when there is no manifest at `path`. Throws where there is one and it cannot be understood. */
export async function readManifest(path: string): Promise<ModelFile | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return null;
  }
  const { id, file, sha256, sizeBytes, contextTokens } = manifest.parse(JSON.parse(text));
  return { modelId: id, path: join(dirname(path), file), sha256, sizeBytes, contextTokens };
}
