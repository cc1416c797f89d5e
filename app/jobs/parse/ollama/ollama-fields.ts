import * as z from "zod";
import { samplingOptions } from "../../../fields/ollama.ts";
import { limits } from "../../limits.ts";
import { absent, text } from "../parse-body.ts";
import { modelName, ownFields, samplingFields, tokens, whole } from "../parse-sampling.ts";

/** The schemas of the fields that Ollama's calls share. app/fields/ollama.ts has the tables. */

function only(value: number) {
  return z.literal(value, { error: `only ${String(value)} is supported` }).nullish();
}

/** -1 and -2 ask for as much as the model's context has room for. */
const unbounded = z
  .literal([-1, -2], { error: "must be at least 1, or -1 for as many as the context has room for" })
  .transform(() => limits.maxTokens);
const numPredict = z.union([unbounded, tokens]);

const { temperature, top_p, top_k, min_p, seed, stop } = samplingFields;
const { repeat_penalty, presence_penalty, frequency_penalty } = samplingFields;
const options = z.object({
  temperature,
  top_p,
  top_k,
  min_p,
  seed,
  stop,
  repeat_penalty,
  presence_penalty,
  frequency_penalty,
  num_predict: numPredict.nullish(),
  mirostat: only(0),
  typical_p: only(1),
  tfs_z: only(1),
});

/** An empty text asks for nothing. */
const format = z.union([
  z.enum(["json", ""], { error: 'must be "json" or a JSON schema' }),
  z.record(z.string(), z.unknown()),
]);

/** The fields of calls that are answered with text. */
export const textFields = {
  model: modelName,
  options: options.nullish(),
  stream: z.boolean().nullish(),
  format: format.nullish(),
  think: z.literal(false, { error: "only false is supported" }).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: whole(0, limits.logprobs).nullish(),
  images: absent("images are not supported"),
  x_gleaner: ownFields,
};
type TextFields = z.infer<z.ZodObject<typeof textFields>>;

/** A text, which may be missing. */
export const maybeText = text.nullish();

/** The fields that OpenAI's chats and completions share. Ollama streams unless it is told not to. */
export function sharedOf({ model, stream, format: asked, options: given, x_gleaner }: TextFields): object {
  const sampling = Object.entries(given ?? {}).filter(([name]) => name in samplingOptions);
  return {
    ...Object.fromEntries(sampling),
    model,
    stream: stream ?? true,
    max_tokens: given?.num_predict,
    response_format: formatOf(asked),
    x_gleaner,
  };
}

function formatOf(asked: TextFields["format"]): object | undefined {
  if (asked == null || asked === "") return undefined;
  if (asked === "json") return { type: "json_object" };
  return { type: "json_schema", json_schema: { schema: asked, strict: true } };
}

/** The name of a schema's field in this API. */
export const formatName = [/^response_format(?:\.json_schema\.schema)?\b/, "format"] as const;
