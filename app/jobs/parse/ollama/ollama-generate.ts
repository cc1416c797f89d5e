import * as z from "zod";
import { ollamaGenerateFields } from "../../../fields/ollama.ts";
import type { ChatRequest } from "../../chat.ts";
import type { CompletionRequest } from "../../work.ts";
import {
  absent,
  type BodyParse,
  inOwnTerms,
  parseBody,
  refuseField,
  requestBody,
  text,
} from "../parse-body.ts";
import { parseChat } from "../parse-chat.ts";
import { parseCompletion } from "../parse-completion.ts";
import type { ParsedText } from "../parse-sampling.ts";
import { formatName, maybeText, sharedOf, textFields } from "./ollama-fields.ts";

/** A prompt gets the model's chat template. A raw one is continued as it is. */
export type ParsedGenerate =
  | ({ readonly kind: "chat" } & ParsedText<ChatRequest>)
  | ({ readonly kind: "completion" } & ParsedText<CompletionRequest>);

const noImages = "images are not supported";

export const ollamaGenerateBody = requestBody(ollamaGenerateFields, {
  ...textFields,
  prompt: text.min(1),
  system: maybeText,
  raw: z.boolean().nullish(),
  suffix: textOfNothing("text after the answer is not supported"),
  template: textOfNothing("a model has its own template"),
  context: absent("send the earlier messages to /api/chat"),
  width: absent(noImages),
  height: absent(noImages),
  steps: absent(noImages),
});
type Body = z.infer<typeof ollamaGenerateBody.schema>;

/** An empty text asks for nothing. */
function textOfNothing(why: string) {
  return z.union([z.literal("", { error: why }), absent(why)]);
}

/** Parses and bounds the body of POST /api/generate. Neither chooses a seed nor checks the model. */
export function parseOllamaGenerate(json: string): BodyParse<ParsedGenerate> {
  const parsed = parseBody(ollamaGenerateBody, json);
  if (parsed.kind === "refused") return parsed;
  return parsed.asked.raw === true ? toCompletion(parsed.asked) : toChat(parsed.asked);
}

function toChat({ prompt, system, logprobs, top_logprobs, ...asked }: Body): BodyParse<ParsedGenerate> {
  const rules = system == null || system === "" ? [] : [{ role: "system", content: system }];
  const messages = [...rules, { role: "user", content: prompt }];
  const chat = parseChat(JSON.stringify({ ...sharedOf(asked), messages, logprobs, top_logprobs }));
  if (chat.kind === "refused") return inOwnTerms(chat, [[/^messages\b.*/, "prompt"], formatName]);
  return { kind: "parsed", asked: { kind: "chat", ...chat.asked } };
}

function toCompletion({ prompt, system, logprobs, top_logprobs, ...asked }: Body): BodyParse<ParsedGenerate> {
  if (system != null && system !== "") return refuseField("system", "a raw prompt has no system message");
  const counted = logprobs === true ? { logprobs: top_logprobs ?? 0 } : {};
  const completion = parseCompletion(JSON.stringify({ ...sharedOf(asked), prompt, ...counted }));
  if (completion.kind === "refused") return inOwnTerms(completion, [formatName]);
  const { request, ...call } = completion.asked;
  // OpenAI's completions are short if nobody says how long they may be. Ollama's are not.
  const maxTokens = asked.options?.num_predict == null ? null : request.maxTokens;
  return { kind: "parsed", asked: { kind: "completion", ...call, request: { ...request, maxTokens } } };
}
