import * as z from "zod";
import { modelFields } from "../models/catalog-entry.ts";

/** Whether it is a plain file name on every system. */
const inThisFolder = (file: string): boolean => !/[/\\:\0]/.test(file) && file !== "." && file !== "..";

/** The manifest of a model file that ships with the program. Other fields are ignored. */
export const modelManifest = z.object({
  id: modelFields.modelId,
  file: z.string().min(1).max(255).refine(inThisFolder, "has to be a name in the same folder"),
  sha256: modelFields.sha256,
  sizeBytes: z.number().int().positive(),
  contextTokens: modelFields.contextTokens,
  licence: modelFields.licence.optional(),
});

export type ModelManifest = z.infer<typeof modelManifest>;
