import { limits } from "../../app/jobs/limits.ts";
import { type ParsedChat, parseChat } from "../../app/jobs/parse-chat.ts";
import { internal } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import type { ModelView } from "../model/models/catalogue.ts";
import { hashSecret } from "../model/keys/hash.ts";
import { type ApiError, fromParse, missingKey, unknownModel } from "./errors.ts";
import { bearerKey, readBody } from "./readRequest.ts";

/** Answers this long are long enough for whoever asks for no length. */
const defaultMaxTokens = 1_024;

export type PreparedChat = {
  readonly apiKey: string;
  readonly chat: ParsedChat;
  readonly idempotencyKey: string | null;
  readonly maxTokens: number;
  readonly seed: number;
  readonly model: { readonly modelId: string; readonly sha256: string };
};

/** Parses a chat completion's request and fills in what only the backend knows. */
export async function prepareChat(
  ctx: ActionCtx,
  request: Request,
): Promise<
  | { readonly kind: "ok"; readonly prepared: PreparedChat }
  | { readonly kind: "refused"; readonly error: ApiError }
> {
  const apiKey = bearerKey(request);
  if (apiKey === null) return refused(missingKey);
  // Asked before the body is read: a wrong key gets to know nothing about it.
  const models: readonly ModelView[] = await ctx.runQuery(internal.requests.models, { apiKey });
  const json = await readBody(request, limits.bodyBytes);
  if (json === null) return refused(tooLarge);
  const parsed = parseChat(json);
  if (parsed.kind === "refused") return refused(fromParse(parsed.refusal));
  const { chat } = parsed;
  const model = models.find(({ modelId }) => modelId === chat.model);
  if (model === undefined) return refused(unknownModel(chat.model));
  const idempotencyKey = request.headers.get("idempotency-key");
  return {
    kind: "ok",
    prepared: {
      apiKey,
      chat,
      idempotencyKey,
      maxTokens: chat.request.maxTokens ?? Math.min(defaultMaxTokens, model.contextTokens),
      seed: chat.request.seed ?? (await chosenSeed(idempotencyKey)),
      model,
    },
  };
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

/** By the idempotency key where there is one, so that a repeated request is the same request. */
async function chosenSeed(idempotencyKey: string | null): Promise<number> {
  if (idempotencyKey === null) return Math.floor(Math.random() * 2 ** 31);
  return Number.parseInt((await hashSecret(idempotencyKey)).slice(0, 8), 16) % 2 ** 31;
}
