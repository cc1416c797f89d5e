import { chatFields, functionFields, toolFields } from "./chat.ts";
import { embeddingFields } from "./embeddings.ts";
import { inert, names, neutral, supported, unused } from "./field.ts";
import { asForChat, ownForChat } from "./text.ts";

/** The fields of Ollama's calls. */

/** Fields that every call with a model has. */
const modelFields = {
  model: supported("a model's name or an alias, also with the tag `:latest`", "gleaner-demo"),
  keep_alive: inert("devices load and unload models by themselves"),
};

/** Some are about loading a model, which its devices decide. The others only count together with neutral ones. */
const unusedOptions = {
  ...unused("num_ctx", "num_batch", "num_gpu", "main_gpu", "num_thread", "num_keep", "numa", "low_vram"),
  ...unused("f16_kv", "logits_all", "vocab_only", "embedding_only", "use_mmap", "use_mlock"),
  ...unused("repeat_last_n", "mirostat_tau", "mirostat_eta", "penalize_newline"),
};

/** The options that are passed on under their own names. */
export const samplingOptions = {
  ...names("temperature", "top_p", "top_k", "min_p", "seed", "stop"),
  ...names("repeat_penalty", "presence_penalty", "frequency_penalty"),
};

export const optionFields = {
  ...samplingOptions,
  ...names("num_predict", "mirostat", "typical_p", "tfs_z"),
  ...unusedOptions,
};

const textFields = {
  ...modelFields,
  stream: supported(
    "true by default, as in Ollama: one JSON object a line. A line with an empty text keeps the connection alive",
    false,
  ),
  format: supported("`json` or a JSON schema, with the promises of a [strict one](#schemas)", "json"),
  options: supported(
    "`temperature`, `top_p`, `top_k`, `min_p`, `seed`, `stop`, `repeat_penalty`, `presence_penalty` and `frequency_penalty` as for chat completions, with the same defaults. `num_predict` is the bound of tokens; -1 and -2 mean the context's length. Neutral only: `mirostat` 0, `typical_p` 1, `tfs_z` 1",
    { temperature: 0.7 },
    { fields: optionFields },
  ),
  logprobs: supported(asForChat, true),
  top_logprobs: supported(asForChat, 2, { beside: { logprobs: true } }),
  x_gleaner: ownForChat,
  think: neutral("only `false`"),
  images: neutral("not supported"),
  truncate: inert("a prompt that is too long is refused, never cut"),
  shift: inert("a prompt that is too long is refused, never cut"),
};

const calledFunction = { ...names("name", "arguments"), ...unused("description", "index") };

const messageFields = {
  ...names("role", "content", "images", "tool_name", "tool_call_id"),
  tool_calls: {
    ...supported("", []),
    fields: { ...names("id", "type"), function: { ...supported("", null), fields: calledFunction } },
  },
  // Clients replay the thoughts of another model.
  ...unused("thinking"),
};

/** The official client's type of a function has a type, too. */
const offeredFunction = { ...supported("", null), fields: { ...functionFields, ...unused("type") } };

/** The fields of POST /api/chat. */
export const ollamaChatFields = {
  ...textFields,
  messages: supported(
    "required. Roles `system`, `user`, `assistant`, `tool`; content as text; at most 1,000 messages and 256 KiB of text. A last message of the assistant is not continued: the model answers with a new one. Without any [nothing is done](#ollama)",
    [{ role: "user", content: "What is the capital of Norway?" }],
    { fields: messageFields },
  ),
  tools: supported(asForChat, chatFields.tools.example, {
    fields: { ...toolFields, function: offeredFunction },
  }),
};

/** The fields of POST /api/generate. */
export const ollamaGenerateFields = {
  ...textFields,
  prompt: supported(
    "required. At most 256 KiB of text. Without any [nothing is done](#ollama)",
    "What is the capital of Norway?",
  ),
  system: supported("a system message before the prompt. Refused together with `raw`", "Be brief."),
  raw: supported("the prompt is continued as it is, without the model's chat template", true),
  suffix: neutral("not supported"),
  template: neutral("not supported. A model has its own"),
  context: neutral("not supported. Send the earlier messages to `/api/chat`"),
  width: neutral("not supported. No images are made"),
  height: neutral("not supported. No images are made"),
  steps: neutral("not supported. No images are made"),
};

const vectorFields = { ...modelFields, options: inert("no option changes a vector") };

/** The fields of POST /api/embed. */
export const ollamaEmbedFields = {
  ...vectorFields,
  input: embeddingFields.input,
  dimensions: embeddingFields.dimensions,
  truncate: inert("an input that is too long is refused, never cut"),
};

/** The fields of POST /api/embeddings. */
export const ollamaEmbeddingsFields = {
  ...vectorFields,
  prompt: supported("required. One text of at most 256 KiB", "the harbour in Oslo"),
};

const shown = inert("an answer says the same in any case");

/** The fields of POST /api/show. */
export const ollamaShowFields = {
  ...modelFields,
  name: supported("the older word for `model`", "gleaner-demo"),
  verbose: shown,
  system: shown,
  template: shown,
  options: shown,
};
