import * as z from "zod";

/** A part of a request or an answer, as a person reads it. */
export type PayloadPart = { readonly from: string; readonly text: string };

const chat = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });
const completion = z.object({ prompt: z.string() });
const embedding = z.object({ inputs: z.array(z.string()) });
const text = z.object({
  text: z.string(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.string() })).optional(),
});
const vectors = z.object({ embeddings: z.array(z.string()) });

/** The texts of a stored request. One of another version is shown as JSON. */
export function requestParts(payload: unknown): readonly PayloadPart[] {
  const asChat = chat.safeParse(payload);
  if (asChat.success) return asChat.data.messages.map(({ role, content }) => ({ from: role, text: content }));
  const asCompletion = completion.safeParse(payload);
  if (asCompletion.success) return [{ from: "prompt", text: asCompletion.data.prompt }];
  const asEmbedding = embedding.safeParse(payload);
  if (asEmbedding.success) return asEmbedding.data.inputs.map((input) => ({ from: "input", text: input }));
  return [{ from: "request", text: JSON.stringify(payload) }];
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
  return [{ from: "answer", text: JSON.stringify(result) }];
}
