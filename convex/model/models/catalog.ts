import { type Infer, v } from "convex/values";
import type { OfferedModel } from "../../../app/models/catalogue-entry.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { modelSource } from "../validators.ts";

/** More models than any organization offers. */
export const maxModels = 200;

/** A model as devices are told of it. */
export const offeredModel = v.object({
  modelId: v.string(),
  source: modelSource,
  sha256: v.string(),
  sizeBytes: v.number(),
  licence: v.string(),
  contextTokens: v.number(),
  template: v.union(v.string(), v.null()),
});

export function offered(model: Doc<"models">): OfferedModel {
  const { modelId, source, sha256, sizeBytes, licence = "", contextTokens, template = null } = model;
  return { modelId, source, sha256, sizeBytes, licence, contextTokens, template };
}

/** The models that an organization offers. */
export async function catalogueOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Doc<"models">[]> {
  const models = await ctx.db
    .query("models")
    .withIndex("by_organization_model", (q) => q.eq("organizationId", organizationId))
    .take(maxModels);
  return models.filter((model) => model.enabled);
}

/** A model as requesters see it. `createdAt`: ms epoch. */
export const modelView = v.object({
  modelId: v.string(),
  contextTokens: v.number(),
  createdAt: v.number(),
  sha256: v.string(),
});

export type ModelView = Infer<typeof modelView>;
