import { type Infer, v } from "convex/values";
import { type CatalogueEntry, catalogueEntry } from "../../../app/models/catalogue-entry.ts";
import { refuse } from "../refuse.ts";
import type { price } from "../validators.ts";

/** An entry of the catalogue as it comes in; app/models/catalogue-entry.ts has its bounds. */
export const newEntry = v.object({
  modelId: v.string(),
  source: v.string(),
  sha256: v.string(),
  sizeBytes: v.number(),
  licence: v.string(),
  contextTokens: v.number(),
  template: v.union(v.string(), v.null()),
  pieces: v.union(v.object({ pieceBytes: v.number(), pieceHashes: v.array(v.string()) }), v.null()),
});

/** Checks an entry. Refuses (invalid) with the field and what it has to be. */
export function checkedEntry(given: Infer<typeof newEntry>): CatalogueEntry {
  const parsed = catalogueEntry.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  return refuse("invalid", `${field === "" ? "The model" : field}: ${issue?.message ?? "is out of bounds"}.`);
}

const maxMicroPerToken = 1_000_000_000_000n;

/** Refuses (invalid) a price that is negative or absurd. */
export function checkedPrice(given: Infer<typeof price>): Infer<typeof price> {
  for (const micro of [given.promptMicro, given.completionMicro]) {
    if (micro < 0n || micro > maxMicroPerToken) refuse("invalid", "A price per token is out of bounds.");
  }
  return given;
}
