import * as z from "zod";
import { completionFields } from "../../fields/completions.ts";
import { limits } from "../limits.ts";
import type { CompletionRequest } from "../work.ts";
import {
  absent,
  type BodyParse,
  boundedList,
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
  z.union([text.min(1), boundedList(z.union([text.min(1), idList]), { least: 1, most: limits.completions })]),
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
  const prompts = Array.isArray(asked.prompt) ? asked.prompt : [asked.prompt];
  const tooMany = promptsMistake(prompts.length, callOf(asked));
  if (tooMany !== null) return refuseField(...tooMany);
  const tooLong = refuseSize("prompt", prompts);
  if (tooLong !== null) return tooLong;
  const sampling = samplingOf(asked, asked.max_tokens ?? defaultMaxTokens, asked.logprobs ?? null);
  const [request = noPrompt(), ...further] = prompts.map((each) => ({ prompt: each, ...sampling }));
  const more = further.length === 0 ? {} : { further };
  return { kind: "parsed", asked: { ...callOf(asked), request, ...more } };
}

/** The field and the mistake of several prompts; null: none. */
function promptsMistake(
  prompts: number,
  { choices, vote }: Pick<ParsedText<never>, "choices" | "vote">,
): readonly [param: string, why: string] | null {
  if (prompts > 1 && vote !== null) return ["x_gleaner.votes", "only one prompt gets second opinions"];
  if (prompts * choices <= limits.completions) return null;
  const asked = `${String(prompts)} prompts with n: ${String(choices)} are more answers than`;
  return ["prompt", `${asked} the ${String(limits.completions)} that one call may have`];
}

function noPrompt(): never {
  throw new Error("a parsed completion has no prompt");
}
