import * as z from "zod";
import { parseJson } from "../../json.ts";
import type { ChatRequest } from "../chat.ts";
import { grammarLimits, grammarMistake } from "../grammar/gbnf.ts";
import { limits } from "../limits.ts";
import { parseKeptSchema } from "../schema/json-schema.ts";
import { schemaLimits } from "../schema/keywords.ts";
import type { CompletionRequest, EmbeddingRequest, TokensRequest, Work } from "../work.ts";
import { tokenIds } from "./token-ids.ts";

/** Payloads that a device accepts. The backend has checked them, but a device does not trust it. */

const schemaText = z.string().max(schemaLimits.characters).refine(isSchema, "is no enforceable JSON schema");

const format = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("json") }),
  z.object({ kind: z.literal("json-schema"), schema: schemaText }),
  z.object({
    kind: z.literal("grammar"),
    grammar: z
      .string()
      .max(grammarLimits.chars)
      .refine((grammar) => grammarMistake(grammar) === null, "is no enforceable grammar"),
  }),
]);

const sampling = {
  maxTokens: z.number().int().min(1).max(limits.maxTokens),
  temperature: z.number().min(0).max(2),
  topP: z.number().min(0).max(1),
  seed: z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
  stop: z.array(z.string().min(1).max(limits.stopBytes)).max(limits.stopStrings),
  topK: z.number().int().min(0).max(limits.topK).optional(),
  minP: z.number().min(0).max(1).optional(),
  repeatPenalty: z.number().min(0.5).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  logitBias: z
    .array(z.object({ token: z.number().int().min(0), bias: z.number().min(-100).max(100) }))
    .max(limits.logitBiases)
    .optional(),
  logprobs: z.number().int().min(0).max(limits.logprobs).optional(),
  format: format.optional(),
};

const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const callId = z.string().min(1).max(limits.callIdChars);

const message = z
  .object({
    role: z.enum(["system", "user", "assistant", "tool"]),
    content: z.string(),
    toolCalls: z
      .array(z.object({ id: callId, name: toolName, arguments: z.string() }))
      .max(limits.toolCalls)
      .optional(),
    toolCallId: callId.optional(),
  })
  .refine(
    ({ role, toolCallId }) => (role === "tool") === (toolCallId !== undefined),
    "must have toolCallId, and only a tool's message may",
  );

const conversation = {
  messages: z.array(message).min(1).max(limits.messages),
  tools: z
    .array(
      z.object({
        name: toolName,
        description: z.string().max(limits.toolDescriptionChars).optional(),
        parameters: schemaText.optional(),
      }),
    )
    .max(limits.tools)
    .optional(),
};

const chat = z.object({
  ...sampling,
  ...conversation,
  toolChoice: z.union([z.enum(["none", "auto", "required"]), z.object({ name: toolName })]).optional(),
  parallelToolCalls: z.boolean().optional(),
});

const text = z.string().max(limits.promptBytes);

const completion = z.object({ ...sampling, prompt: z.union([text, tokenIds]) });

const embedding = z.object({
  inputs: z
    .array(z.union([text.min(1), tokenIds]))
    .min(1)
    .max(limits.embeddingInputs),
  dimensions: z.number().int().min(1).optional(),
});

const tokens = z.union([
  z.object({ tokenize: text, addSpecial: z.boolean() }),
  z.object({ tokenizeChat: z.object(conversation) }),
]);

/**
 * The owner of what a job leaves in a device's prompt cache: only jobs with the same one may reuse it. Otherwise a key could
 * learn from cached token counts what another key asks. Opaque to the device.
 */
export const cacheOwner = z.string().regex(/^[0-9a-f]{32}$/);

const owned = z.object({ cacheOwner });

/** Undefined for a job of an older backend. It shares its prompt with no other job. */
export function parseCacheOwner(payload: unknown): string | undefined {
  return owned.safeParse(payload).data?.cacheOwner;
}

/** Parses the payload of a job of `kind`. Null if a device must not accept it. */
export function parseWork(kind: string, payload: unknown): Work | null {
  switch (kind) {
    case "chat": {
      const request = chat.safeParse(payload).data;
      return request === undefined ? null : { kind, request: present<ChatRequest>(request) };
    }
    case "completion": {
      const request = completion.safeParse(payload).data;
      return request === undefined ? null : { kind, request: present<CompletionRequest>(request) };
    }
    case "embedding": {
      const request = embedding.safeParse(payload).data;
      return request === undefined ? null : { kind, request: present<EmbeddingRequest>(request) };
    }
    case "tokens": {
      const request = tokens.safeParse(payload).data;
      return request === undefined ? null : { kind, request: present<TokensRequest>(request) };
    }
    default:
      return null;
  }
}

type Loose<T> = T extends object
  ? { readonly [Field in keyof T]: Loose<T[Field]> | (undefined extends T[Field] ? undefined : never) }
  : T;

/** By type, Zod's optional fields may be undefined. In parsed JSON they never are. */
function present<T>(value: Loose<T>): T {
  return value as T;
}

function isSchema(text: string): boolean {
  return parseKeptSchema(parseJson(text)).kind === "ok";
}
