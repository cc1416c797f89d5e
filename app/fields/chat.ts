import { inert, names, neutral, supported, unused } from "./field.ts";
import { openAiInert, textFields } from "./text.ts";

/** Clients send a message back as they got it from any server, with what that one thought, cited or parsed. */
const replayed = unused(
  "annotations",
  "parsed",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "thinking_blocks",
  "provider_specific_fields",
);

const calledFunction = { ...names("name", "arguments"), ...unused("parsed_arguments") };

const messageFields = {
  ...names("role", "refusal", "tool_call_id", "function_call", "audio", "images"),
  content: {
    ...supported("", "Hello"),
    fields: {
      ...names("type", "text", "refusal"),
      ...unused("prompt_cache_breakpoint", "cache_control", "annotations"),
    },
  },
  tool_calls: {
    ...supported("", []),
    fields: {
      ...names("id", "type"),
      ...unused("index", "provider_specific_fields", "extra_content"),
      function: { ...supported("", null), fields: calledFunction },
    },
  },
  ...unused("name"),
  ...replayed,
};

const chosenFunction = { ...supported("", null), fields: names("name") };

export const functionFields = names("name", "description", "parameters", "strict");

export const toolFields = {
  ...names("type"),
  function: { ...supported("", null), fields: functionFields },
  ...unused("cache_control"),
};

const clock = {
  type: "function",
  function: { name: "clock", parameters: { type: "object", properties: {} } },
};

/** The fields of POST /v1/chat/completions. */
export const chatFields = {
  ...textFields,
  messages: supported(
    "required. Roles `system`, `developer`, `user`, `assistant`, `tool`; content as text or text parts, the assistant's also as refusals; `images` are refused, except for the assistant's, which have no effect; at most 1,000 messages and 256 KiB of text",
    [{ role: "user", content: "What is the capital of Norway?" }],
    { fields: messageFields },
  ),
  max_completion_tokens: supported(
    "an upper bound; one beyond the model's context is taken for the context. If a request also has `max_tokens`, this one counts. Default: 1,024, or the context's length if that is less",
    100,
  ),
  tools: supported(
    "up to 128 functions, each with a description of at most 32,768 characters. The arguments of a call follow the function's [schema](#schemas). If the bound of tokens cuts a call, `finish_reason` is `length` and the arguments are not complete. Together with a response format or a grammar, the answer is either a call or follows the format",
    [clock],
    { fields: toolFields },
  ),
  tool_choice: supported("`none`, `auto`, `required` or one of the functions", "required", {
    beside: { tools: [clock] },
    fields: { ...names("type"), function: chosenFunction },
  }),
  parallel_tool_calls: supported(
    "an answer may have up to 16 calls, if the model's template knows how to write several. With `false`, and if one function is chosen, it has one. Default: true",
    false,
    { beside: { tools: [clock] } },
  ),
  logprobs: supported("the log probability of each token. A stream sends them with the text", true),
  top_logprobs: supported(
    "how many of the likeliest tokens are reported beside the drawn one, at most 20",
    2,
    {
      beside: { logprobs: true },
    },
  ),
  modalities: neutral('only `["text"]`'),
  functions: neutral("not supported. Use `tools`"),
  function_call: neutral("only `none` and `auto`"),
  audio: neutral("not supported"),
  prediction: neutral("not supported"),
  web_search_options: neutral("not supported"),
  moderation: neutral("not supported"),
  ...openAiInert,
  metadata: inert("OpenAI's storage. Only batches and responses have metadata"),
  store: inert("answers are kept for a day in any case"),
  reasoning_effort: inert("a hint. Models think as their templates say"),
  verbosity: inert("a hint. Say it in the prompt"),
};
