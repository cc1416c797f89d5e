import type { ChatRequest, ChatResult } from "./chat.ts";
import type { CompletionRequest } from "./completion.ts";
import type { EmbeddingRequest, EmbeddingResult } from "./embedding.ts";

/** The kinds of jobs that a device does, and what each asks for. */
export type Work =
  | { readonly kind: "chat"; readonly request: ChatRequest }
  | { readonly kind: "completion"; readonly request: CompletionRequest }
  | { readonly kind: "embedding"; readonly request: EmbeddingRequest };

export type WorkResult = ChatResult | EmbeddingResult;
