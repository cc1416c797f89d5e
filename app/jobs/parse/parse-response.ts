import * as z from "zod";
import { responseFields } from "../../fields/responses.ts";
import type { ChatRequest } from "../chat.ts";
import { limits } from "../limits.ts";
import type { ResponseEcho } from "../response-echo.ts";
import {
  absent,
  type BodyParse,
  boundedList,
  boundedRecord,
  inOwnTerms,
  oneOfForms,
  parseBody,
  refuseField,
  requestBody,
  text,
} from "./parse-body.ts";
import { parseChat } from "./parse-chat.ts";
import { modelName, ownFields, type ParsedText, serviceTier, tokens, whole } from "./parse-sampling.ts";
import { callId, functionName } from "./parse-tools.ts";

/** Parses the body of OpenAI's Responses API by translating it into a chat. */

const partText = z.object({ type: z.enum(["input_text", "output_text"]), text });
const part = z.discriminatedUnion(
  "type",
  [partText, z.object({ type: z.literal("refusal"), refusal: text })],
  { error: oneOfForms('only parts of type "input_text", "output_text" and "refusal" are supported') },
);
const content = z.union([text, boundedList(part, { least: 1, most: limits.contentParts })]);

const message = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content,
});
const functionCall = z.object({
  type: z.literal("function_call"),
  call_id: callId,
  name: functionName,
  arguments: text,
});
const functionOutput = z.object({
  type: z.literal("function_call_output"),
  call_id: callId,
  output: z.union([text, boundedList(partText, { least: 1, most: limits.contentParts })]),
});
/** Clients replay what another model has thought. It is left out. */
const reasoning = z.object({ type: z.literal("reasoning") });

const item = z.discriminatedUnion("type", [message, functionCall, functionOutput, reasoning], {
  error: oneOfForms('must be "message", "function_call", "function_call_output" or "reasoning"'),
});

function mostCallsInRow(items: readonly z.infer<typeof item>[]): number {
  let most = 0;
  let calls = 0;
  for (const { type } of items) {
    if (type === "reasoning") continue;
    calls = type === "function_call" ? calls + 1 : 0;
    most = Math.max(most, calls);
  }
  return most;
}

const functionTool = z.object({
  type: z.literal("function", { error: 'only "function" is supported' }),
  name: functionName,
  description: text.nullish(),
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
});

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.object({ type: z.literal("function"), name: functionName }),
]);

const textFormat = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({ type: z.literal("json_schema"), schema: z.unknown(), strict: z.boolean().nullish() }),
  ],
  { error: oneOfForms('must be "text", "json_object" or "json_schema"') },
);

const metadata = boundedRecord(text.min(1).max(64), text.max(512), 16);
const stateless = "answers are not kept as a conversation; send the earlier items as input";

export const responseBody = requestBody(responseFields, {
  model: modelName,
  input: z.union([
    text,
    boundedList(item, { least: 1, most: limits.messages }).refine(
      (items) => mostCallsInRow(items) <= limits.toolCalls,
      `must have at most ${String(limits.toolCalls)} function calls in a row`,
    ),
  ]),
  instructions: text.nullish(),
  max_output_tokens: tokens.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: whole(0, limits.logprobs).nullish(),
  include: boundedList(text, { most: 20 }).nullish(),
  tools: boundedList(functionTool, { most: limits.tools }).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.object({ format: textFormat.nullish() }).nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  metadata: metadata.nullish(),
  service_tier: serviceTier,
  x_gleaner: ownFields,
  truncation: z.literal("disabled", { error: 'only "disabled" is supported' }).nullish(),
  previous_response_id: absent(stateless),
  conversation: absent(stateless),
  prompt: absent("stored prompts are not supported"),
  moderation: absent("moderation is not supported"),
  image: absent("images are not supported"),
});
type Body = z.infer<typeof responseBody.schema>;

/** A call of the Responses API: the chat that it asks for, and fields that its answer repeats. */
export type ParsedResponse = ParsedText<ChatRequest> & {
  /** Whether it answers at once, and its answer is fetched later. */
  readonly background: boolean;
  readonly echo: ResponseEcho;
};

/** Parses and bounds the body of POST /v1/responses. Neither chooses a seed nor checks the model. */
export function parseResponse(json: string): BodyParse<ParsedResponse> {
  const parsed = parseBody(responseBody, json);
  if (parsed.kind === "refused") return parsed;
  const { asked } = parsed;
  if (asked.background === true && asked.stream === true) {
    return refuseField("stream", "a response in the background is not streamed");
  }
  const chat = parseChat(JSON.stringify(chatOf(asked)));
  if (chat.kind === "refused") return inOwnTerms(chat, names);
  const background = asked.background ?? false;
  return { kind: "parsed", asked: { ...chat.asked, background, echo: echoOf(asked) } };
}

/** The same request to the chat completions API. */
function chatOf(asked: Body): object {
  const { input, instructions, include, tools, text: asText } = asked;
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  const wantsLogprobs = asked.top_logprobs != null || include?.includes("message.output_text.logprobs");
  return {
    model: asked.model,
    messages: [
      ...(instructions == null ? [] : [{ role: "system", content: instructions }]),
      ...messagesOf(items),
    ],
    max_completion_tokens: asked.max_output_tokens,
    temperature: asked.temperature,
    top_p: asked.top_p,
    ...(wantsLogprobs === true ? { logprobs: true, top_logprobs: asked.top_logprobs } : {}),
    tools: tools?.map(({ type, ...called }) => ({ type, function: called })),
    tool_choice: choiceOf(asked.tool_choice),
    parallel_tool_calls: asked.parallel_tool_calls,
    response_format: formatOf(asText?.format),
    stream: asked.stream,
    service_tier: asked.service_tier,
    x_gleaner: asked.x_gleaner,
  };
}

type Item = z.infer<typeof item>;

/** Calls that follow one another, or a text of the assistant, are those of one message, as the model wrote them. */
function messagesOf(items: readonly Item[]): readonly object[] {
  const messages: object[] = [];
  let calls: object[] | null = null;
  for (const each of items) {
    if (!("role" in each) && each.type === "reasoning") continue;
    if (!("role" in each) && each.type === "function_call") {
      if (calls === null) {
        calls = [];
        messages.push({ role: "assistant", tool_calls: calls });
      }
      const called = { name: each.name, arguments: each.arguments };
      calls.push({ id: each.call_id, type: "function", function: called });
      continue;
    }
    const isAssistant = "role" in each && each.role === "assistant";
    calls = isAssistant ? [] : null;
    messages.push(
      "role" in each
        ? { role: each.role, content: plain(each.content), ...(isAssistant ? { tool_calls: calls } : {}) }
        : { role: "tool", tool_call_id: each.call_id, content: plain(each.output) },
    );
  }
  return messages;
}

function plain(value: z.infer<typeof content>): string {
  if (typeof value === "string") return value;
  return value.map((each) => (each.type === "refusal" ? each.refusal : each.text)).join("");
}

function choiceOf(choice: Body["tool_choice"]): unknown {
  return typeof choice === "object" && choice !== null
    ? { type: "function", function: { name: choice.name } }
    : choice;
}

function formatOf(format: z.infer<typeof textFormat> | null | undefined): unknown {
  return format?.type === "json_schema"
    ? { type: "json_schema", json_schema: { schema: format.schema, strict: format.strict } }
    : format;
}

/** The names of a chat's fields in this API. */
const names: readonly (readonly [chat: RegExp, own: string])[] = [
  [/^messages\b.*/, "input"],
  [/^max_completion_tokens\b/, "max_output_tokens"],
  [/^response_format(?:\.json_schema)?\b/, "text.format"],
  [/^(tools\[\d+\]|tool_choice)\.function\b/, "$1"],
];

function echoOf(asked: Body): ResponseEcho {
  return {
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    temperature: asked.temperature ?? 1,
    top_p: asked.top_p ?? 1,
    tools: asked.tools ?? [],
    tool_choice: asked.tool_choice ?? "auto",
    text: { format: asked.text?.format ?? { type: "text" } },
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    metadata: asked.metadata ?? {},
    background: asked.background ?? false,
    store: asked.store ?? true,
  };
}
