import { type Infer, v } from "convex/values";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { authenticateApiKey } from "../authenticate.ts";
import { catalogOf, modelView } from "../models/catalog.ts";
import { countCall } from "../rates.ts";

/** An authenticated API key, and the models that it may use. */
export const identity = v.object({ keyId: v.id("apiKeys"), models: v.array(modelView) });

export type Identity = Infer<typeof identity>;

/**
 * Admits a call of the HTTP API: authenticates its key, finds the models and counts the call, in one transaction. A wrong
 * key is not counted. Refuses: unauthorized, revoked, rate_limited.
 */
export async function admit(ctx: MutationCtx, apiKey: string): Promise<Identity> {
  const admitted = await identify(ctx, apiKey);
  await countCall(ctx, admitted.keyId);
  return admitted;
}

/** Authenticates a key and finds the models, but counts nothing. Refuses: unauthorized, revoked. */
export async function identify(ctx: QueryCtx, apiKey: string): Promise<Identity> {
  const { _id: keyId, organizationId } = await authenticateApiKey(ctx, apiKey);
  const catalog = await catalogOf(ctx, organizationId);
  const models = catalog.map(({ modelId, contextTokens, createdAt, sha256 }) => ({
    modelId,
    contextTokens,
    createdAt,
    sha256,
  }));
  return { keyId, models };
}
