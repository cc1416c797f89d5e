import { z } from "zod";

/** A name in the manifest's own folder: on every system, whatever its separators. */
const inThisFolder = (file: string): boolean => !/[/\\:\0]/.test(file) && file !== "." && file !== "..";

/** The manifest beside a model file that is shipped with the program; it has more fields than these. */
export const modelManifest = z.object({
  id: z.string().min(1).max(200),
  file: z.string().min(1).max(255).refine(inThisFolder, "has to be a name in the same folder"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().positive(),
  contextTokens: z.number().int().positive(),
  /** An SPDX identifier, or the licence's name. */
  licence: z.string().max(200).optional(),
});

export type ModelManifest = z.infer<typeof modelManifest>;
