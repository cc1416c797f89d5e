import * as z from "zod";
import { completionFields } from "../../fields/completions.ts";
import { limits } from "../limits.ts";
import type { CompletionRequest } from "../work.ts";
import {
  absent,
  type BodyParse,
  numbersOr,
  parseBody,
  refuseField,
  refuseSize,
  requestBody,
  text,
} from "./parse-body.ts";
import {
  callOf,
  idList,
  type ParsedText,
  samplingClash,
  samplingFields,
  samplingOf,
  whole,
} from "./parse-sampling.ts";

const prompt = numbersOr(
  idList,
  z.union([
    text.min(1),
    z
      .array(z.union([text.min(1), idList]))
      .length(1, "only one prompt is accepted")
      .transform(([only]) => only ?? ""),
  ]),
);

/** The same default length in tokens as OpenAI's. */
const defaultMaxTokens = 16;

export const completionBody = requestBody(completionFields, {
  ...samplingFields,
  prompt,
  /** The number of alternative tokens to report. */
  logprobs: whole(0, limits.logprobs).nullish(),
  best_of: z.literal(1, { error: "only 1 is supported" }).nullish(),
  echo: z.literal(false, { error: "echoing the prompt is not supported" }).nullish(),
  suffix: absent("text after the answer is not supported"),
});

/** Parses and bounds the body of POST /v1/completions. Neither chooses a seed nor checks the model. */
export function parseCompletion(json: string): BodyParse<ParsedText<CompletionRequest>> {
  const parsed = parseBody(completionBody, json);
  if (parsed.kind === "refused") return parsed;
  const { asked } = parsed;
  const clash = samplingClash(asked);
  if (clash !== null) return refuseField(clash.param, clash.why);
  const tooLong = refuseSize("prompt", [asked.prompt]);
  if (tooLong !== null) return tooLong;
  const sampling = samplingOf(asked, asked.max_tokens ?? defaultMaxTokens, asked.logprobs ?? null);
  return { kind: "parsed", asked: { ...callOf(asked), request: { prompt: asked.prompt, ...sampling } } };
}
