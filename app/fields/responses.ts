import { inert, names, neutral, supported, unused } from "./field.ts";
import { asForChat, openAiInert, ownForChat } from "./text.ts";

/** A client sends the items of earlier answers back as it got them. */
const itemFields = {
  ...names("type", "role", "call_id", "name", "arguments"),
  content: {
    ...supported("", null),
    fields: {
      ...names("type", "text", "refusal"),
      ...unused("annotations", "logprobs", "parsed", "prompt_cache_breakpoint"),
    },
  },
  output: {
    ...supported("", null),
    fields: { ...names("type", "text"), ...unused("annotations", "logprobs", "prompt_cache_breakpoint") },
  },
  ...unused("id", "status", "phase", "summary", "encrypted_content", "parsed_arguments"),
  ...unused("async", "caller", "namespace", "created_by"),
};

const clock = { type: "function", name: "clock", parameters: { type: "object", properties: {} } };

/** The fields of POST /v1/responses. */
export const responseFields = {
  model: supported(asForChat, "gleaner-demo"),
  input: supported(
    "required. A text, or a list of messages, `function_call`, `function_call_output` and `reasoning` items. Reasoning of other models is left out",
    "What is the capital of Norway?",
    { fields: itemFields },
  ),
  instructions: supported("a system message before the input", "Answer in one word."),
  max_output_tokens: supported("as `max_completion_tokens`. A cut answer has the status `incomplete`", 100),
  temperature: supported(asForChat, 0.7),
  top_p: supported(asForChat, 0.9),
  top_logprobs: supported("as for chat completions; it also asks for log probabilities", 2),
  include: supported(
    "`message.output_text.logprobs` asks for log probabilities; other values have no effect",
    ["message.output_text.logprobs"],
  ),
  tools: supported("of type `function` only, with the rules of chat completions", [clock], {
    fields: {
      ...names("type", "name", "description", "parameters", "strict"),
      ...unused("defer_loading", "allowed_callers", "async", "output_schema"),
    },
  }),
  tool_choice: supported(asForChat, "required", {
    beside: { tools: [clock] },
    fields: names("type", "name"),
  }),
  text: supported(
    "`format` is as `response_format`",
    { format: { type: "json_object" } },
    {
      fields: {
        format: {
          ...supported("", null),
          fields: { ...names("type", "schema", "strict"), ...unused("name", "description") },
        },
        ...unused("verbosity"),
      },
    },
  ),
  stream: supported("the API's named events, each with its `sequence_number`", true),
  background: supported(
    "the call answers at once. `GET /v1/responses/ID` tells the status and the answer, for a day after its end; `POST /v1/responses/ID/cancel` cancels it. Refused together with `stream`",
    true,
  ),
  service_tier: supported(asForChat, "flex"),
  metadata: supported("up to 16 texts, repeated in the answer. Devices do not get them", { task: "7" }),
  store: supported("repeated in the answer. Answers are kept for a day in any case", false),
  parallel_tool_calls: supported(asForChat, false),
  x_gleaner: ownForChat,
  previous_response_id: neutral("not supported. Send the earlier items as `input`"),
  conversation: neutral("not supported. Send the earlier items as `input`"),
  prompt: neutral("not supported. Send its text as `input`"),
  truncation: neutral("only `disabled`"),
  moderation: neutral("not supported"),
  image: neutral("not supported"),
  ...openAiInert,
  reasoning: inert("a hint. Models think as their templates say"),
  stream_options: inert("events have no padding in any case"),
  max_tool_calls: inert("it counts calls of OpenAI's own tools"),
  context_management: inert("nothing is compacted. An input that is too long is refused"),
  client_metadata: inert("what Codex says about itself"),
  access_programs: inert("it is about OpenAI's own models"),
};
