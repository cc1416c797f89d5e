import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { aliasesOf, aliasRow } from "./aliases.ts";
import { catalogOf, modelView } from "./catalog.ts";

/** An authenticated API key, the models that it may use, and other names for them. */
export const identity = v.object({
  keyId: v.id("apiKeys"),
  models: v.array(modelView),
  aliases: v.array(aliasRow),
});

export async function identityOf(
  ctx: QueryCtx,
  { _id: keyId, organizationId }: Doc<"apiKeys">,
): Promise<Infer<typeof identity>> {
  const [catalog, aliases] = await Promise.all([
    catalogOf(ctx, organizationId),
    aliasesOf(ctx, organizationId),
  ]);
  const models = catalog.map(({ modelId, contextTokens, createdAt, sha256 }) => ({
    modelId,
    contextTokens,
    createdAt,
    sha256,
  }));
  return { keyId, models, aliases };
}
