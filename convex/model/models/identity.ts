import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { asMutable } from "../mutable.ts";
import { originsOf } from "../pageOrigins.ts";
import { keyQuotas } from "../validators/keys.ts";
import { aliasesOf, aliasRow } from "./aliases.ts";
import { catalogOf, modelView } from "./catalog.ts";

/** An authenticated API key, the models that it may use, and other names for them. */
export const identity = v.object({
  keyId: v.id("apiKeys"),
  models: v.array(modelView),
  /** Its requests are counted against them. Absent: it has none. */
  quotas: v.optional(keyQuotas),
  aliases: v.array(aliasRow),
  /** The origins whose pages may read its answers in browsers; null: all. */
  origins: v.union(v.array(v.string()), v.null()),
  /** The calls that it may still make at once. Absent: the call was not counted. */
  left: v.optional(v.object({ calls: v.number(), resetMs: v.number() })),
});

export async function identityOf(
  ctx: QueryCtx,
  { _id: keyId, organizationId, models: allowed, quotas }: Doc<"apiKeys">,
): Promise<Infer<typeof identity>> {
  const [catalog, aliases, origins] = await Promise.all([
    catalogOf(ctx, organizationId),
    aliasesOf(ctx, organizationId),
    originsOf(ctx, organizationId),
  ]);
  const offered = catalog.filter(({ modelId }) => allowed === undefined || allowed.includes(modelId));
  const models = offered.map(({ modelId, contextTokens, createdAt, sha256, sizeBytes, licence = "" }) => ({
    modelId,
    contextTokens,
    createdAt,
    sha256,
    sizeBytes,
    licence,
  }));
  const own = quotas === undefined ? {} : { quotas };
  return { keyId, models, ...own, aliases, origins: asMutable(origins) };
}
