import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { ModelView } from "../model/models/catalog.ts";
import { errorResponse, missingKey, unknownModel } from "./errors.ts";
import { bearerKey } from "./readRequest.ts";
import { json } from "./respond.ts";

/** GET /v1/models. */
export async function listModels(ctx: ActionCtx, request: Request): Promise<Response> {
  const apiKey = bearerKey(request);
  if (apiKey === null) return errorResponse(missingKey);
  const models: readonly ModelView[] = await ctx.runQuery(internal.requests.models, { apiKey });
  return json(200, { object: "list", data: models.map(modelBody) });
}

export const modelsPath = "/v1/models/";

/** GET /v1/models/{id}; ids may contain slashes. */
export async function getModel(ctx: ActionCtx, request: Request): Promise<Response> {
  const apiKey = bearerKey(request);
  if (apiKey === null) return errorResponse(missingKey);
  const models: readonly ModelView[] = await ctx.runQuery(internal.requests.models, { apiKey });
  const wanted = new URL(request.url).pathname.slice(modelsPath.length);
  const found = models.find(({ modelId }) => modelId === wanted || encodeURIComponent(modelId) === wanted);
  return found === undefined ? errorResponse(unknownModel(wanted)) : json(200, modelBody(found));
}

function modelBody({ modelId, createdAt }: { readonly modelId: string; readonly createdAt: number }): object {
  return { id: modelId, object: "model", created: Math.floor(createdAt / 1_000), owned_by: "organization" };
}
