import { batchBody, batchEstimateBody, parseBatch, parseBatchEstimate } from "../batches/parse-batch.ts";
import {
  parseUpload,
  parseUploadCompletion,
  uploadBody,
  uploadCompletionBody,
} from "../batches/parse-upload.ts";
import { ollamaChatBody, parseOllamaChat } from "../jobs/parse/ollama/ollama-chat.ts";
import { ollamaGenerateBody, parseOllamaGenerate } from "../jobs/parse/ollama/ollama-generate.ts";
import {
  ollamaEmbedBody,
  ollamaEmbeddingsBody,
  ollamaShowBody,
  parseOllamaEmbed,
  parseOllamaEmbeddings,
  parseOllamaShow,
} from "../jobs/parse/ollama/ollama-models.ts";
import type { BodyParse, RequestBody } from "../jobs/parse/parse-body.ts";
import { chatBody, parseChat } from "../jobs/parse/parse-chat.ts";
import { completionBody, parseCompletion } from "../jobs/parse/parse-completion.ts";
import { embeddingBody, parseEmbedding } from "../jobs/parse/parse-embedding.ts";
import { countBody, messagesBody, parseCountTokens, parseMessages } from "../jobs/parse/parse-messages.ts";
import { parsePriority, priorityBody } from "../jobs/parse/parse-priority.ts";
import { parseRating, ratingBody } from "../jobs/parse/parse-rating.ts";
import { parseRerank, rerankBody } from "../jobs/parse/parse-rerank.ts";
import { parseResponse, responseBody } from "../jobs/parse/parse-response.ts";
import { parseTokenize, tokenizeBody } from "../jobs/parse/parse-tokens.ts";

/** A body of the HTTP API: its fields, its schema, and the parser that reads it. */
export type ApiBody = {
  readonly body: RequestBody;
  readonly parse: (json: string) => BodyParse<unknown>;
};

/** All JSON bodies of the calls under /v1, by their names in the OpenAPI document and in docs/api.md. */
export const bodies = {
  ChatCompletionRequest: { body: chatBody, parse: parseChat },
  ResponseRequest: { body: responseBody, parse: parseResponse },
  MessageRequest: { body: messagesBody, parse: parseMessages },
  CountTokensRequest: { body: countBody, parse: parseCountTokens },
  CompletionRequest: { body: completionBody, parse: parseCompletion },
  EmbeddingRequest: { body: embeddingBody, parse: parseEmbedding },
  RerankRequest: { body: rerankBody, parse: parseRerank },
  TokenizeRequest: { body: tokenizeBody, parse: parseTokenize },
  BatchRequest: { body: batchBody, parse: parseBatch },
  BatchEstimateRequest: { body: batchEstimateBody, parse: parseBatchEstimate },
  UploadRequest: { body: uploadBody, parse: parseUpload },
  UploadCompletionRequest: { body: uploadCompletionBody, parse: parseUploadCompletion },
  PriorityRequest: { body: priorityBody, parse: parsePriority },
  RatingRequest: { body: ratingBody, parse: parseRating },
} as const satisfies Readonly<Record<string, ApiBody>>;

export type BodyName = keyof typeof bodies;
export const bodyNames = Object.keys(bodies) as readonly BodyName[];

/** The bodies of Ollama's API, by their names in docs/api.md. The OpenAPI document has only /v1. */
export const ollamaBodies = {
  OllamaChatRequest: { body: ollamaChatBody, parse: parseOllamaChat },
  OllamaGenerateRequest: { body: ollamaGenerateBody, parse: parseOllamaGenerate },
  OllamaEmbedRequest: { body: ollamaEmbedBody, parse: parseOllamaEmbed },
  OllamaEmbeddingsRequest: { body: ollamaEmbeddingsBody, parse: parseOllamaEmbeddings },
  OllamaShowRequest: { body: ollamaShowBody, parse: parseOllamaShow },
} as const satisfies Readonly<Record<string, ApiBody>>;

/** A small request that is accepted: its required fields with their examples. */
export function smallestOf({ schema, fields, oneOf }: RequestBody): Readonly<Record<string, unknown>> {
  const required = Object.entries(schema.shape).filter(
    ([, field]) =>
      !(field as { safeParse: (value: unknown) => { success: boolean } }).safeParse(undefined).success,
  );
  const names = [...required.map(([name]) => name), ...oneOf.slice(0, 1)];
  return Object.fromEntries(names.map((name) => [name, fields[name]?.example]));
}
