import * as z from "zod";
import { recordOf } from "../../../json.ts";
import { limits } from "../../limits.ts";
import { absent, text } from "../parse-body.ts";
import { modelName, samplingFields, tokens, whole } from "../parse-sampling.ts";

/** The fields that calls of Ollama's API share. A field that is not listed here is refused, not dropped in silence. */

const unknownField = absent("there is no such field");

/** An object with these fields and no others. The first other field ends the parse, since descriptions of many cost seconds. */
export function known<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .custom<z.input<z.ZodObject<Shape>>>()
    .superRefine((given, context) => {
      for (const [name, value] of Object.entries(recordOf(given))) {
        const { error } = name in shape ? {} : unknownField.safeParse(value);
        const [issue] = error?.issues ?? [];
        if (issue === undefined) continue;
        context.issues.push({ ...issue, path: [name] } as z.core.$ZodRawIssue);
        return;
      }
    })
    .pipe(z.object(shape));
}

/** Any value. The field has no effect, or is parsed after its translation. */
export const inert = z.unknown().optional();

/** How a model is loaded, which its devices decide, and options that only count with others that are refused. */
export const inertOptions = {
  num_ctx: inert,
  num_batch: inert,
  num_gpu: inert,
  main_gpu: inert,
  num_thread: inert,
  num_keep: inert,
  numa: inert,
  low_vram: inert,
  f16_kv: inert,
  logits_all: inert,
  vocab_only: inert,
  embedding_only: inert,
  use_mmap: inert,
  use_mlock: inert,
  repeat_last_n: inert,
  mirostat_tau: inert,
  mirostat_eta: inert,
  penalize_newline: inert,
};

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
const samplingOptions = {
  temperature,
  top_p,
  top_k,
  min_p,
  seed,
  stop,
  repeat_penalty,
  presence_penalty,
  frequency_penalty,
};

const options = known({
  ...samplingOptions,
  num_predict: numPredict.nullish(),
  mirostat: only(0),
  typical_p: only(1),
  tfs_z: only(1),
  ...inertOptions,
});

/** An empty text asks for nothing. */
const format = z.union([
  z.enum(["json", ""], { error: 'must be "json" or a JSON schema' }),
  z.record(z.string(), z.unknown()),
]);

/** Every call with a model has them. Devices load and unload models by themselves. */
export const modelFields = { model: modelName, options: options.nullish(), keep_alive: inert };

/** The fields of calls that are answered with text. `truncate`, `shift`: a prompt that is too long is refused, never cut. */
export const textFields = {
  ...modelFields,
  stream: z.boolean().nullish(),
  format: format.nullish(),
  think: z.literal(false, { error: "only false is supported" }).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: whole(0, limits.logprobs).nullish(),
  images: absent("images are not supported"),
  truncate: inert,
  shift: inert,
};
type TextFields = z.infer<z.ZodObject<typeof textFields>>;

/** A text, which may be missing. */
export const maybeText = text.nullish();

/** The fields that OpenAI's chats and completions share. Ollama streams unless it is told not to. */
export function sharedOf({ model, stream, format: asked, options: given }: TextFields): object {
  const sampling = Object.entries(given ?? {}).filter(([name]) => name in samplingOptions);
  return {
    ...Object.fromEntries(sampling),
    model,
    stream: stream ?? true,
    max_tokens: given?.num_predict,
    response_format: formatOf(asked),
  };
}

function formatOf(asked: TextFields["format"]): object | undefined {
  if (asked == null || asked === "") return undefined;
  if (asked === "json") return { type: "json_object" };
  return { type: "json_schema", json_schema: { schema: asked, strict: true } };
}

/** The name of a schema's field in this API. */
export const formatName = [/^response_format(?:\.json_schema\.schema)?\b/, "format"] as const;
