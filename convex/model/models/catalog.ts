import { type Infer, v } from "convex/values";
import type { ModelPieces } from "../../../app/models/catalog-entry.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** Bounds the models of an organization. */
export const maxModels = 200;

/** A model as an admin enters it. `source`: "bundled" with the program, or a URL. */
export const modelEntry = {
  modelId: v.string(),
  source: v.string(),
  sha256: v.string(),
  sizeBytes: v.number(),
  licence: v.string(),
  contextTokens: v.number(),
  template: v.union(v.string(), v.null()),
};

/** A model as devices see it. `piecesHash`: the hash of its pieces' hashes; null if there are none, or none signed. */
export const offeredModel = v.object({
  ...modelEntry,
  piecesHash: v.optional(v.union(v.string(), v.null())),
});

export function offered(model: Doc<"models">): Infer<typeof offeredModel> {
  const { modelId, source, sha256, sizeBytes, licence = "", contextTokens } = model;
  const { template = null, piecesHash = null } = model;
  return { modelId, source, sha256, sizeBytes, licence, contextTokens, template, piecesHash };
}

/** All models of an organization, retired ones included. */
export async function allModels(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"models">[]> {
  return await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) => q.eq("organizationId", organizationId))
    .take(maxModels);
}

/** The models that an organization offers. */
export async function catalogOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"models">[]> {
  return (await allModels(ctx, organizationId)).filter((model) => model.enabled);
}

/** The organization's model with this name, even if it is retired. */
export async function findModel(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  modelId: string,
): Promise<Doc<"models"> | null> {
  return await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) => q.eq("organizationId", organizationId).eq("modelId", modelId))
    .unique();
}

/** A model as requesters see it. `createdAt`: milliseconds since the epoch. */
export const modelView = v.object({
  modelId: v.string(),
  contextTokens: v.number(),
  createdAt: v.number(),
  sha256: v.string(),
  sizeBytes: v.number(),
  licence: v.string(),
});

export type ModelView = Infer<typeof modelView>;

export const piecesView = v.object({ pieceBytes: v.number(), pieceHashes: v.array(v.string()) });

/** The hashes of a file's pieces; null if the organization has none. */
export async function piecesOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  sha256: string,
): Promise<Doc<"modelPieces"> | null> {
  return await ctx.db
    .query("modelPieces")
    .withIndex("by_organization_hash", (q) => q.eq("organizationId", organizationId).eq("sha256", sha256))
    .unique();
}

/** Stores the hashes of a file's pieces, in place of earlier ones. */
export async function keepPieces(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  sha256: string,
  { pieceBytes, pieceHashes }: ModelPieces,
): Promise<void> {
  const row = { pieceBytes, pieceHashes: [...pieceHashes] };
  const found = await piecesOf(ctx, organizationId, sha256);
  if (found === null) await ctx.db.insert("modelPieces", { organizationId, sha256, ...row });
  else await ctx.db.patch("modelPieces", found._id, row);
}
