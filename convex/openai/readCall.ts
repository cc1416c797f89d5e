import { limits } from "../../app/jobs/limits.ts";
import type { BodyParse } from "../../app/jobs/parse-body.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { ModelView } from "../model/models/catalog.ts";
import { type ApiError, fromParse, missingKey, unknownModel } from "./errors.ts";
import { bearerKey, readBody } from "./readRequest.ts";

export type Prepared<Asked> = {
  readonly apiKey: string;
  readonly asked: Asked;
  readonly idempotencyKey: string | null;
  readonly model: ModelView;
};

/** Authenticates and parses a call, and finds the model that it asks for. */
export async function prepare<Asked extends { readonly model: string }>(
  ctx: ActionCtx,
  request: Request,
  parse: (json: string) => BodyParse<Asked>,
): Promise<
  | { readonly kind: "ok"; readonly prepared: Prepared<Asked> }
  | { readonly kind: "refused"; readonly error: ApiError }
> {
  const apiKey = bearerKey(request);
  if (apiKey === null) return refused(missingKey);
  // Asked before the body is read: a wrong key gets to know nothing about it.
  const models: readonly ModelView[] = await ctx.runQuery(internal.requests.models, { apiKey });
  const json = await readBody(request, limits.bodyBytes);
  if (json === null) return refused(tooLarge);
  const parsed = parse(json);
  if (parsed.kind === "refused") return refused(fromParse(parsed.refusal));
  const { asked } = parsed;
  const model = models.find(({ modelId }) => modelId === asked.model);
  if (model === undefined) return refused(unknownModel(asked.model));
  const idempotencyKey = request.headers.get("idempotency-key");
  return { kind: "ok", prepared: { apiKey, asked, idempotencyKey, model } };
}

const tooLarge: ApiError = {
  status: 413,
  type: "invalid_request_error",
  code: "request_too_large",
  message: `The body is too large: at most ${String(limits.bodyBytes)} bytes are taken.`,
};

function refused(error: ApiError) {
  return { kind: "refused", error } as const;
}
