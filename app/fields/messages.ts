import { inert, names, neutral, supported, unused } from "./field.ts";
import { asForChat, ownForChat } from "./text.ts";

/** Fields of blocks that cache prompts, or cite. */
const blockExtras = unused("cache_control", "citations");

const textBlocks = { ...names("type", "text"), ...blockExtras };

const messageFields = {
  ...names("role"),
  content: {
    ...supported("", "Hello"),
    fields: {
      ...textBlocks,
      ...names("id", "name", "input", "tool_use_id", "is_error"),
      content: { ...supported("", null), fields: textBlocks },
      ...unused("caller", "toolset_name", "thinking", "signature", "data"),
    },
  },
  ...unused("id", "type", "model", "stop_reason", "stop_sequence", "usage"),
};

const clock = { name: "clock", input_schema: { type: "object", properties: {} } };
const format = { type: "json_schema", schema: { type: "object", properties: {} } };

/** The fields of POST /v1/messages. */
export const messagesFields = {
  model: supported(asForChat, "gleaner-demo"),
  max_tokens: supported("required. An upper bound, cut to the model's context", 100),
  messages: supported(
    "required. Texts, or blocks of type `text`, `tool_use` and `tool_result`. With `is_error` the model reads `Error: ` before the result, unless it begins so. Thinking of other models is left out. A last message of the assistant is not continued: the model answers with a new one",
    [{ role: "user", content: "What is the capital of Norway?" }],
    { fields: messageFields },
  ),
  system: supported("a text, or blocks of text", "Answer in one word.", { fields: textBlocks }),
  temperature: supported(asForChat, 0.7),
  top_p: supported(asForChat, 0.9),
  top_k: supported(asForChat, 40),
  stop_sequences: supported(
    "at most 4. `stop_sequence` has the one that ended the answer. A donor of an older version does not tell it: then the `stop_reason` is `end_turn`",
    ["\n\n"],
  ),
  stream: supported("the API's named events", true),
  tools: supported("your own, with the rules of chat completions", [clock], {
    fields: {
      ...names("type", "name", "description", "input_schema", "strict"),
      ...unused(
        "cache_control",
        "allowed_callers",
        "defer_loading",
        "eager_input_streaming",
        "input_examples",
      ),
    },
  }),
  tool_choice: supported(
    "of the type `auto`, `any`, `none`, or `tool` with a name. With `disable_parallel_tool_use` an answer has one call at most",
    { type: "any" },
    {
      beside: { tools: [clock] },
      fields: names("type", "name", "disable_parallel_tool_use"),
    },
  ),
  output_config: supported(
    "`format` is a JSON schema, as `response_format`",
    { format },
    {
      fields: {
        format: { ...supported("", null), fields: names("type", "schema") },
        ...unused("effort", "task_budget"),
      },
    },
  ),
  output_format: supported("the older name of `output_config.format`", format, {
    fields: names("type", "schema"),
  }),
  x_gleaner: ownForChat,
  thinking: {
    ...neutral('only `{"type": "disabled"}` and `{"type": "adaptive"}`'),
    fields: { ...names("type"), ...unused("display", "block_binding") },
  },
  mcp_servers: neutral("not supported"),
  container: neutral("not supported"),
  compaction: neutral("not supported"),
  thread: neutral(
    "not supported. Send the earlier messages, as the `toolRunner` of Anthropic's packages then does by itself",
  ),
  inference_geo: neutral(
    "not supported. Jobs run on your organization's devices; [requirements](#requirements) choose among them",
  ),
  cache_control: inert("devices cache prompts by themselves: `usage.cache_read_input_tokens`"),
  metadata: inert("the requester's own user. Jobs belong to API keys"),
  service_tier: inert("Anthropic's tiers. An API key has its priority"),
  speed: inert("it is about Anthropic's own models"),
  context_management: inert("nothing is cleared. Thinking of other models is left out in any case"),
  fallbacks: inert("it is about Anthropic's own models"),
  fallback_credit_token: inert("it is about Anthropic's own models"),
  billing_policy: inert("API keys pay with their credits"),
  diagnostics: inert("it is about Anthropic's caches"),
  user_profile_id: inert("the requester's own user"),
  workspace_id: inert("an API key belongs to one organization"),
  betas: inert("nothing has to be turned on"),
};
