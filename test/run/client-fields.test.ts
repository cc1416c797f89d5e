import type Anthropic from "@anthropic-ai/sdk";
import type * as Client from "@gleaner/client";
import type * as Ollama from "ollama";
import type OpenAI from "openai";
import { expect, expectTypeOf, it } from "vitest";
import { batchFields, uploadCompletionFields, uploadFields } from "../../app/fields/batches.ts";
import { chatFields } from "../../app/fields/chat.ts";
import { completionFields } from "../../app/fields/completions.ts";
import { embeddingFields } from "../../app/fields/embeddings.ts";
import type { Field } from "../../app/fields/field.ts";
import { messagesFields } from "../../app/fields/messages.ts";
import {
  ollamaChatFields,
  ollamaEmbeddingsFields,
  ollamaEmbedFields,
  ollamaGenerateFields,
  ollamaShowFields,
  optionFields,
} from "../../app/fields/ollama.ts";
import { responseFields } from "../../app/fields/responses.ts";
import type { RatingReason } from "../../app/jobs/rating.ts";

/** A table has every field of an official client's call: the type checker refuses one that lacks any. */
type TableFor<Call> = Readonly<Record<keyof Call, Field>>;

const tables = {
  chat: chatFields satisfies TableFor<OpenAI.ChatCompletionCreateParams>,
  response: responseFields satisfies TableFor<OpenAI.Responses.ResponseCreateParams>,
  completion: completionFields satisfies TableFor<OpenAI.CompletionCreateParams>,
  embedding: embeddingFields satisfies TableFor<OpenAI.EmbeddingCreateParams>,
  batch: batchFields satisfies TableFor<OpenAI.BatchCreateParams>,
  upload: uploadFields satisfies TableFor<OpenAI.UploadCreateParams>,
  uploadCompletion: uploadCompletionFields satisfies TableFor<OpenAI.UploadCompleteParams>,
  message: messagesFields satisfies TableFor<Anthropic.MessageCreateParams>,
  messageOfTheBeta: messagesFields satisfies TableFor<Anthropic.Beta.Messages.MessageCreateParams>,
  count: messagesFields satisfies TableFor<Anthropic.Beta.Messages.MessageCountTokensParams>,
  ollamaChat: ollamaChatFields satisfies TableFor<Ollama.ChatRequest>,
  ollamaPrompt: ollamaGenerateFields satisfies TableFor<Ollama.GenerateRequest>,
  ollamaEmbedding: ollamaEmbedFields satisfies TableFor<Ollama.EmbedRequest>,
  ollamaOlderEmbedding: ollamaEmbeddingsFields satisfies TableFor<Ollama.EmbeddingsRequest>,
  ollamaModel: ollamaShowFields satisfies TableFor<Ollama.ShowRequest>,
};

optionFields satisfies TableFor<Ollama.Options>;

it("the typed client has the reasons of bad ratings", () => {
  expectTypeOf<Client.RatingReason>().toEqualTypeOf<RatingReason>();
});

it.each(Object.entries(tables))("says something about each field of a %s", (_name, table) => {
  for (const { words } of Object.values(table)) expect(words).not.toBe("");
});
