import * as z from "zod";
import { chatFields } from "../../fields/chat.ts";
import type { ChatMessage, ChatRequest } from "../chat.ts";
import { limits } from "../limits.ts";
import {
  absent,
  type BodyParse,
  boundedList,
  oneOfForms,
  parseBody,
  refuseField,
  refuseSize,
  requestBody,
  text,
} from "./parse-body.ts";
import {
  callOf,
  given,
  type ParsedText,
  samplingClash,
  samplingFields,
  samplingOf,
  tokens,
  whole,
} from "./parse-sampling.ts";
import { callId, toolCalls, toolChoice, tools, toToolChoice } from "./parse-tools.ts";

const contentPart = z.object({
  type: z.literal("text", { error: 'only parts of type "text" are supported' }),
  text,
});

const content = z.union([text, boundedList(contentPart, { least: 1, most: limits.contentParts })]);

/** The assistant's content may be the refusals of an earlier answer. They are what it said. */
const spokenPart = z.discriminatedUnion(
  "type",
  [contentPart, z.object({ type: z.literal("refusal"), refusal: text })],
  { error: oneOfForms('only parts of type "text" or "refusal" are supported') },
);
const spoken = z.union([text, boundedList(spokenPart, { least: 1, most: limits.contentParts })]);
const unserved = {
  function_call: absent("function calls are not supported, tool calls are"),
  audio: absent("audio is not supported"),
};
/** Without this, a question about an image would be answered without it. */
const noImages = absent("images are not supported");

const message = z.discriminatedUnion(
  "role",
  [
    z.object({
      role: z.enum(["system", "developer", "user"]),
      content,
      tool_calls: absent("only the assistant calls tools"),
      images: noImages,
      ...unserved,
    }),
    z
      .object({
        role: z.literal("assistant"),
        content: spoken.nullish(),
        refusal: text.nullish(),
        tool_calls: toolCalls.nullish(),
        // Another model may have made them. They come back with its message.
        images: z.unknown().optional(),
        ...unserved,
      })
      .superRefine((value, context) => {
        if (value.content != null || value.refusal != null || (value.tool_calls?.length ?? 0) > 0) return;
        context.addIssue({ code: "invalid_type", expected: "string", path: ["content"] });
      }),
    z.object({
      role: z.literal("tool"),
      content,
      tool_call_id: callId,
      images: noImages,
      ...unserved,
    }),
  ],
  { error: oneOfForms('must be "system", "developer", "user", "assistant" or "tool"') },
);

export const chatMessages = boundedList(message, { least: 1, most: limits.messages });

/** OpenAI's fields and some of llama.cpp's. */
export const chatBody = requestBody(chatFields, {
  ...samplingFields,
  messages: chatMessages,
  max_completion_tokens: tokens.nullish(),
  modalities: boundedList(z.literal("text", { error: 'only "text" is supported' }), { most: 16 }).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: whole(0, limits.logprobs).nullish(),
  tools: tools.nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: absent("functions are not supported, tools are"),
  function_call: z.enum(["none", "auto"], { error: "functions are not supported" }).nullish(),
  audio: absent("audio is not supported"),
  prediction: absent("predicted outputs are not supported"),
  web_search_options: absent("web search is not supported"),
  moderation: absent("moderation is not supported"),
});

/** Parses and bounds the body of POST /v1/chat/completions. Neither chooses a seed nor checks the model. */
export function parseChat(json: string): BodyParse<ParsedText<ChatRequest>> {
  const parsed = parseBody(chatBody, json);
  if (parsed.kind === "refused") return parsed;
  const { asked } = parsed;

  const clash = clashOf(asked);
  if (clash !== null) return refuseField(clash.param, clash.why);

  const messages = asked.messages.map(toMessage);
  const tooLong = refuseSize(
    "messages",
    messages.map(({ content }) => content),
  );
  if (tooLong !== null) return tooLong;
  const maxTokens = asked.max_completion_tokens ?? asked.max_tokens ?? null;
  const logprobs = asked.logprobs === true ? (asked.top_logprobs ?? 0) : null;
  return {
    kind: "parsed",
    asked: {
      ...callOf(asked),
      request: {
        messages,
        ...samplingOf(asked, maxTokens, logprobs),
        ...given({
          tools: asked.tools == null || asked.tools.length === 0 ? null : asked.tools,
          toolChoice:
            asked.tool_choice == null || !asked.tools?.length ? null : toToolChoice(asked.tool_choice),
          // More calls than one are usual, so only the other wish is kept.
          parallelToolCalls: asked.parallel_tool_calls === false && asked.tools?.length ? false : null,
        }),
      },
    },
  };
}

type Body = z.infer<typeof chatBody.schema>;

/** Reports fields that contradict each other. */
function clashOf(asked: Body): { readonly param: string; readonly why: string } | null {
  const offered = (asked.tools ?? []).map((tool) => tool.name);
  if (new Set(offered).size < offered.length)
    return { param: "tools", why: "two of them have the same name" };
  const choice = asked.tool_choice ?? "auto";
  if (choice === "required" && offered.length === 0) {
    return { param: "tool_choice", why: "there are no tools to choose from" };
  }
  if (typeof choice === "object" && !offered.includes(choice.function.name)) {
    return { param: "tool_choice", why: "it names none of the tools" };
  }
  const formats = samplingClash(asked);
  if (formats !== null) return formats;
  if ((asked.top_logprobs ?? 0) > 0 && asked.logprobs !== true) {
    return { param: "top_logprobs", why: "it needs logprobs to be true" };
  }
  return null;
}

/** A message as a device gets it. */
export function toMessage(asked: Body["messages"][number]): ChatMessage {
  const refusal = asked.role === "assistant" ? asked.refusal : null;
  const plain = textOf(asked.content ?? refusal ?? "");
  switch (asked.role) {
    case "tool":
      return { role: asked.role, content: plain, toolCallId: asked.tool_call_id };
    case "assistant": {
      const calls = (asked.tool_calls ?? []).map(({ id, function: call }) => ({ id, ...call }));
      return { role: asked.role, content: plain, ...(calls.length === 0 ? {} : { toolCalls: calls }) };
    }
    case "developer":
      return { role: "system", content: plain };
    default:
      return { role: asked.role, content: plain };
  }
}

function textOf(value: z.infer<typeof spoken>): string {
  if (typeof value === "string") return value;
  return value.map((part) => (part.type === "text" ? part.text : part.refusal)).join("");
}
