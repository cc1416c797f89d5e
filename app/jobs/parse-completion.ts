import { z } from "zod";
import { limits } from "./limits.ts";
import {
  absent,
  type BodyParse,
  parseBody,
  refuseField,
  refuseSize,
  text,
  utf8Length,
} from "./parse-body.ts";
import { callOf, formatClash, type ParsedText, samplingFields, samplingOf } from "./parse-sampling.ts";
import type { CompletionRequest } from "./work.ts";

const one = "only one prompt is taken, as text";
const prompt = z.union([
  text.min(1),
  z
    .array(text.min(1))
    .length(1, one)
    .transform(([only]) => only ?? ""),
]);

/** As OpenAI's: of so many tokens, when nothing is said. */
const defaultMaxTokens = 16;

/** OpenAI's fields, and a few more of llama.cpp's. Those that would change the answer and are not served are refused, others are ignored. */
const body = z.object({
  ...samplingFields,
  prompt,
  /** Of how many of the likeliest tokens. */
  logprobs: z.number().int().min(0).max(limits.logprobs).nullish(),
  best_of: z.literal(1, { error: "only 1 is supported" }).nullish(),
  echo: z.literal(false, { error: "echoing the prompt is not supported" }).nullish(),
  suffix: absent("text after the answer is not supported"),
});

/** Parses and bounds the body of POST /v1/completions. Pure: it neither chooses a seed nor knows the models. */
export function parseCompletion(json: string): BodyParse<ParsedText<CompletionRequest>> {
  const parsed = parseBody(body, json);
  if (parsed.kind === "refused") return parsed;
  const { asked } = parsed;
  const clash = formatClash(asked);
  if (clash !== null) return refuseField(clash.param, clash.why);
  const promptBytes = utf8Length(asked.prompt);
  if (promptBytes > limits.promptBytes) return refuseSize("prompt", promptBytes, limits.promptBytes);
  const sampling = samplingOf(asked, asked.max_tokens ?? defaultMaxTokens, asked.logprobs ?? null);
  return { kind: "parsed", asked: { ...callOf(asked), request: { prompt: asked.prompt, ...sampling } } };
}
