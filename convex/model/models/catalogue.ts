import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";

/** More models than any organization offers. */
const maxModels = 200;

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
