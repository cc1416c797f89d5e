import type { ActionCtx } from "../_generated/server.js";
import type { ModelView } from "../model/models/catalog.ts";
import type { Caller } from "./endpoint.ts";
import { unknownModel } from "./errors.ts";
import { errorResponse, json } from "./respond.ts";

/** GET /v1/models. */
export async function listModels(_ctx: ActionCtx, _request: Request, { models }: Caller): Promise<Response> {
  return await Promise.resolve(json(200, { object: "list", data: models.map(modelBody) }));
}

export const modelsPath = "/v1/models/";

/** GET /v1/models/{id}. An id may contain slashes. */
export async function getModel(_ctx: ActionCtx, request: Request, { models }: Caller): Promise<Response> {
  const wanted = new URL(request.url).pathname.slice(modelsPath.length);
  const found = models.find(({ modelId }) => modelId === wanted || encodeURIComponent(modelId) === wanted);
  const response = found === undefined ? errorResponse(unknownModel(wanted)) : json(200, modelBody(found));
  return await Promise.resolve(response);
}

function modelBody({ modelId, createdAt }: ModelView): object {
  return { id: modelId, object: "model", created: Math.floor(createdAt / 1_000), owned_by: "organization" };
}
