import * as z from "zod";
import { tokenIds } from "./token-ids.ts";

/** A part of a request or an answer, as a person reads it. */
export type PayloadPart = { readonly from: string; readonly text: string };

const chat = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });
/** Ids of tokens are shown as they are. Only the model's tokenizer knows their texts. */
const textOrIds = z.union([z.string(), tokenIds.transform((ids) => ids.tokenIds)]);
const completion = z.object({ prompt: textOrIds });
const embedding = z.object({ inputs: z.array(textOrIds) });
const tokenized = z.object({ tokenize: z.string() });
const tokenizedChat = z.object({ tokenizeChat: chat });
const text = z.object({
  text: z.string(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.string() })).optional(),
});
const vectors = z.object({ embeddings: z.array(z.string()) });

/** The texts of a stored request. One of another version is shown as JSON. */
export function requestParts(payload: unknown): readonly PayloadPart[] {
  const asChat = chat.safeParse(payload);
  if (asChat.success) return messageParts(asChat.data);
  const asCompletion = completion.safeParse(payload);
  if (asCompletion.success) return [{ from: "prompt", text: asCompletion.data.prompt }];
  const asEmbedding = embedding.safeParse(payload);
  if (asEmbedding.success) return asEmbedding.data.inputs.map((input) => ({ from: "input", text: input }));
  const asText = tokenized.safeParse(payload);
  if (asText.success) return [{ from: "text", text: asText.data.tokenize }];
  const asPrompt = tokenizedChat.safeParse(payload);
  if (asPrompt.success) return messageParts(asPrompt.data.tokenizeChat);
  return [{ from: "request", text: JSON.stringify(payload) }];
}

function messageParts({ messages }: z.infer<typeof chat>): readonly PayloadPart[] {
  return messages.map(({ role, content }) => ({ from: role, text: content }));
}

/** The texts of a stored answer. */
export function answerParts(result: unknown): readonly PayloadPart[] {
  const asText = text.safeParse(result);
  if (asText.success) {
    const calls = asText.data.toolCalls ?? [];
    return [
      ...(asText.data.text === "" && calls.length > 0 ? [] : [{ from: "assistant", text: asText.data.text }]),
      ...calls.map((call) => ({ from: `call of ${call.name}`, text: call.arguments })),
    ];
  }
  const asVectors = vectors.safeParse(result);
  if (asVectors.success) return [{ from: "vectors", text: String(asVectors.data.embeddings.length) }];
  const asIds = tokenIds.safeParse(result);
  if (asIds.success) return [{ from: "tokens", text: asIds.data.tokenIds }];
  return [{ from: "answer", text: JSON.stringify(result) }];
}
