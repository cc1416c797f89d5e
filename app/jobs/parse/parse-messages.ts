import * as z from "zod";
import { messagesFields } from "../../fields/messages.ts";
import type { ChatRequest } from "../chat.ts";
import { limits } from "../limits.ts";
import {
  absent,
  type BodyParse,
  boundedList,
  inOwnTerms,
  oneOfForms,
  parseBody,
  requestBody,
  text,
} from "./parse-body.ts";
import { parseChat } from "./parse-chat.ts";
import { modelName, ownFields, type ParsedText, tokens, whole } from "./parse-sampling.ts";
import { callId, functionName } from "./parse-tools.ts";

/** Parses the body of Anthropic's Messages API by translating it into a chat. */

const textBlock = z.object({ type: z.literal("text"), text });
const texts = z.union([text, boundedList(textBlock, { most: limits.contentParts })]);

const block = z.discriminatedUnion(
  "type",
  [
    textBlock,
    z.object({
      type: z.literal("tool_use"),
      id: callId,
      name: functionName,
      input: z.record(z.string(), z.unknown()),
    }),
    z.object({
      type: z.literal("tool_result"),
      tool_use_id: callId,
      content: texts.nullish(),
      is_error: z.boolean().nullish(),
    }),
    // Clients replay what another model has thought. It is left out.
    z.object({ type: z.literal("thinking") }),
    z.object({ type: z.literal("redacted_thinking") }),
  ],
  { error: oneOfForms('only blocks of type "text", "tool_use" and "tool_result" are supported') },
);
type Block = z.infer<typeof block>;

const message = z.object({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([
    text,
    boundedList(block, { least: 1, most: limits.contentParts }).refine(
      (blocks) => blocks.filter(({ type }) => type === "tool_use").length <= limits.toolCalls,
      `must have at most ${String(limits.toolCalls)} blocks of type "tool_use"`,
    ),
  ]),
});

const tool = z.object({
  type: z.literal("custom", { error: "only tools of your own are supported" }).nullish(),
  name: functionName,
  description: text.nullish(),
  input_schema: z.unknown().optional(),
  strict: z.boolean().nullish(),
});

const toolChoice = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.enum(["auto", "any", "none"]), disable_parallel_tool_use: z.boolean().nullish() }),
    z.object({
      type: z.literal("tool"),
      name: functionName,
      disable_parallel_tool_use: z.boolean().nullish(),
    }),
  ],
  { error: oneOfForms('must be "auto", "any", "tool" or "none"') },
);

const format = z.object({ type: z.literal("json_schema"), schema: z.unknown() });

const shape = {
  model: modelName,
  messages: boundedList(message, { least: 1, most: limits.messages }),
  system: texts.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: whole(0, limits.topK).nullish(),
  stop_sequences: boundedList(text, { most: limits.stopStrings }).nullish(),
  stream: z.boolean().nullish(),
  tools: boundedList(tool, { most: limits.tools }).nullish(),
  tool_choice: toolChoice.nullish(),
  output_config: z.object({ format: format.nullish() }).nullish(),
  output_format: format.nullish(),
  // "adaptive" leaves it to the model whether it thinks.
  thinking: z
    .object({
      type: z.enum(["disabled", "adaptive"], { error: 'only "disabled" and "adaptive" are supported' }),
    })
    .nullish(),
  x_gleaner: ownFields,
  mcp_servers: absent("MCP servers are not supported"),
  container: absent("containers are not supported"),
  compaction: absent("messages are not compacted"),
  thread: absent("threads are not kept; send the earlier messages"),
  inference_geo: absent("jobs run on your organization's devices; Gleaner-Requires chooses among them"),
};
export const messagesBody = requestBody(messagesFields, { ...shape, max_tokens: tokens });
/** A count of tokens is asked without a bound of the answer. */
export const countBody = requestBody(messagesFields, { ...shape, max_tokens: tokens.nullish() });
type Asked = z.infer<typeof countBody.schema>;

/** Parses and bounds the body of POST /v1/messages. Neither chooses a seed nor checks the model. */
export function parseMessages(json: string): BodyParse<ParsedText<ChatRequest>> {
  return toChat(parseBody(messagesBody, json));
}

/** The same for POST /v1/messages/count_tokens. */
export function parseCountTokens(json: string): BodyParse<ParsedText<ChatRequest>> {
  return toChat(parseBody(countBody, json));
}

function toChat(parsed: BodyParse<Asked>): BodyParse<ParsedText<ChatRequest>> {
  if (parsed.kind === "refused") return parsed;
  const chat = parseChat(JSON.stringify(chatOf(parsed.asked)));
  return chat.kind === "parsed" ? chat : inOwnTerms(chat, names);
}

/** The same request to the chat completions API. */
function chatOf({ messages, system, tools, tool_choice: choice, ...given }: Asked): object {
  const schema = (given.output_config?.format ?? given.output_format)?.schema;
  return {
    model: given.model,
    messages: [
      ...(system == null ? [] : [{ role: "system", content: plain(system) }]),
      ...messages.flatMap(messagesOf),
    ],
    max_completion_tokens: given.max_tokens,
    temperature: given.temperature,
    top_p: given.top_p,
    top_k: given.top_k,
    stop: given.stop_sequences,
    stream: given.stream,
    x_gleaner: given.x_gleaner,
    tools: tools?.map(({ name, description, input_schema: parameters, strict }) => ({
      type: "function",
      function: { name, description, parameters, strict },
    })),
    tool_choice: choice == null ? undefined : choiceOf(choice),
    parallel_tool_calls: choice?.disable_parallel_tool_use !== true,
    response_format:
      schema === undefined ? undefined : { type: "json_schema", json_schema: { schema, strict: true } },
  };
}

/** A turn of a user may have results of tools, which are messages of their own and come first. */
function messagesOf({ role, content }: Asked["messages"][number]): readonly object[] {
  if (typeof content === "string") return [{ role, content }];
  const results = content.flatMap((each) =>
    each.type === "tool_result"
      ? [{ role: "tool", tool_call_id: each.tool_use_id, content: resultOf(each) }]
      : [],
  );
  const calls = content.flatMap((each) =>
    each.type === "tool_use"
      ? [
          {
            id: each.id,
            type: "function",
            function: { name: each.name, arguments: JSON.stringify(each.input) },
          },
        ]
      : [],
  );
  const said = content.filter((each): each is Extract<Block, { type: "text" }> => each.type === "text");
  if (said.length === 0 && calls.length === 0) return results;
  const own = { role, content: plain(said), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  return [...results, own];
}

/** Chats have no field for a failure of a tool, so the model reads it. */
function resultOf({ content, is_error: isError }: Extract<Block, { type: "tool_result" }>): string {
  const told = plain(content ?? "");
  return isError === true && !/^error\b/i.test(told) ? `Error: ${told}`.trimEnd() : told;
}

function plain(value: z.infer<typeof texts>): string {
  return typeof value === "string" ? value : value.map((each) => each.text).join("");
}

function choiceOf(choice: z.infer<typeof toolChoice>): unknown {
  switch (choice.type) {
    case "any":
      return "required";
    case "tool":
      return { type: "function", function: { name: choice.name } };
    default:
      return choice.type;
  }
}

/** The names of a chat's fields in this API. */
const names: readonly (readonly [chat: RegExp, own: string])[] = [
  // The messages of the chat are others: results of tools and the system prompt are messages there, too.
  [/^messages\b.*/, "messages"],
  [/^max_completion_tokens\b/, "max_tokens"],
  [/^response_format(?:\.json_schema)?\b/, "output_config.format"],
  [/^(tools\[\d+\])\.function\.parameters\b/, "$1.input_schema"],
  [/^(tools\[\d+\]|tool_choice)\.function\b/, "$1"],
  [/^stop\b/, "stop_sequences"],
];
