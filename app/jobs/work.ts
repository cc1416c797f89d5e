import type { ReadingCosts } from "./answers/reading-costs.ts";
import type { ChatRequest, ChatResult } from "./chat.ts";
import type { TextOrIds, TokenIds } from "./payload/token-ids.ts";
import type { Sampling } from "./sampling.ts";

/** The payload of a completion job: text that the model continues, without a chat template. Its result is a `ChatResult`. */
export type CompletionRequest = Sampling & { readonly prompt: TextOrIds };

/** The payload of an embedding job. `dimensions`: the length that the requester expects of the model's vectors. */
export type EmbeddingRequest = {
  readonly inputs: readonly TextOrIds[];
  readonly dimensions?: number;
};

/** One vector of length 1 for each input: 32-bit floats, little-endian, in base64. */
export type EmbeddingResult = ReadingCosts & { readonly embeddings: readonly string[] };

/** The payload of a job that needs the model's tokenizer only: for the tokens of a text, or of a chat's prompt. */
export type TokensRequest =
  | { readonly tokenize: string; readonly addSpecial: boolean }
  | { readonly tokenizeChat: Pick<ChatRequest, "messages" | "tools"> };

export type TokensResult = ReadingCosts & TokenIds;

/** Whether the payload of a job is a `TokensRequest`. */
export function asksForTokens(payload: object): payload is TokensRequest {
  return "tokenize" in payload || "tokenizeChat" in payload;
}

/** The kinds of jobs that a device runs, each with its payload. */
export type Work =
  | { readonly kind: "chat"; readonly request: ChatRequest }
  | { readonly kind: "completion"; readonly request: CompletionRequest }
  | { readonly kind: "embedding"; readonly request: EmbeddingRequest }
  | { readonly kind: "tokens"; readonly request: TokensRequest };

export const workKinds = [
  "chat",
  "completion",
  "embedding",
  "tokens",
] as const satisfies readonly Work["kind"][];

/** Work that is answered with text. */
export type TextWork = Extract<Work, { readonly kind: "chat" | "completion" }>;

/** The same text work with a later seed. With the same one, all answers to a request would be equal. */
export function withSeed(work: TextWork, later: number): TextWork {
  const seed = (work.request.seed + later) % 2 ** 31;
  return work.kind === "chat"
    ? { kind: work.kind, request: { ...work.request, seed } }
    : { kind: work.kind, request: { ...work.request, seed } };
}

/** The same text work for a model with another context: a bound beyond the context is as good as the context. */
export function withMaxTokens(work: TextWork, maxTokens: number, contextTokens: number): TextWork {
  const bound = Math.min(maxTokens, contextTokens);
  return work.kind === "chat"
    ? { kind: work.kind, request: { ...work.request, maxTokens: bound } }
    : { kind: work.kind, request: { ...work.request, maxTokens: bound } };
}

export type WorkResult = ChatResult | EmbeddingResult | TokensResult;
