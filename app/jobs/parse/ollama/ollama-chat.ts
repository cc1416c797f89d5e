import * as z from "zod";
import { ollamaChatFields } from "../../../fields/ollama.ts";
import { isRecord } from "../../../json.ts";
import type { ChatRequest } from "../../chat.ts";
import { limits } from "../../limits.ts";
import {
  type BodyParse,
  boundedList,
  inOwnTerms,
  parseBody,
  parsedLater,
  refuseField,
  requestBody,
} from "../parse-body.ts";
import { chatBody, parseChat } from "../parse-chat.ts";
import type { ParsedText } from "../parse-sampling.ts";
import { callId, functionName } from "../parse-tools.ts";
import { formatName, maybeText, sharedOf, textFields } from "./ollama-fields.ts";

/** Parses the body of Ollama's chats by translating it into OpenAI's. */

const toolCall = z.object({
  id: callId.nullish(),
  type: z.literal("function").nullish(),
  function: z.object({
    name: functionName,
    arguments: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const message = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: maybeText,
  images: textFields.images,
  tool_calls: boundedList(toolCall, { most: limits.toolCalls }).nullish(),
  tool_name: maybeText,
  tool_call_id: callId.nullish(),
});
type Message = z.infer<typeof message>;

export const ollamaChatBody = requestBody(ollamaChatFields, {
  ...textFields,
  messages: boundedList(message, { least: 1, most: limits.messages }),
  tools: parsedLater(chatBody.schema.shape.tools),
});

/** Parses and bounds the body of POST /api/chat. Neither chooses a seed nor checks the model. */
export function parseOllamaChat(json: string): BodyParse<ParsedText<ChatRequest>> {
  const parsed = parseBody(ollamaChatBody, json);
  if (parsed.kind === "refused") return parsed;
  const { messages, tools, logprobs, top_logprobs, ...asked } = parsed.asked;
  const named = withCallIds(messages);
  if ("orphan" in named) {
    return refuseField(
      `messages[${String(named.orphan)}]`,
      "no earlier call of a tool waits for this result",
    );
  }
  const translated = {
    ...sharedOf(asked),
    messages: named.messages,
    tools: withoutTypes(tools),
    logprobs,
    top_logprobs,
  };
  const chat = parseChat(JSON.stringify(translated));
  return chat.kind === "parsed" ? chat : inOwnTerms(chat, [formatName]);
}

/** Ollama's functions may have a type, which has no effect. OpenAI's have none. */
function withoutTypes(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: unknown) => {
    if (!isRecord(tool) || !isRecord(tool["function"])) return tool;
    const { type: _type, ...offered } = tool["function"];
    return { ...tool, function: offered };
  });
}

type Call = { readonly id: string; readonly name: string };

/**
 * The messages of a chat of OpenAI's API. Ollama's calls may have no ids, and its results need not say which call they answer: by
 * its id, by the function's name, or the first call without a result. `orphan`: the place of a result without a call.
 */
function withCallIds(
  messages: readonly Message[],
): { readonly messages: readonly object[] } | { readonly orphan: number } {
  let calls = 0;
  const open: Call[] = [];
  const translated: object[] = [];
  for (const [index, { role, content, tool_calls, ...result }] of messages.entries()) {
    const text = { role, content: content ?? "" };
    if (role === "tool") {
      const at = open.findIndex((call) => answers(result, call));
      const [call] = at === -1 ? [] : open.splice(at, 1);
      if (call === undefined) return { orphan: index };
      translated.push({ ...text, tool_call_id: call.id });
      continue;
    }
    const made = (tool_calls ?? []).map(({ id, function: called }) => ({
      id: id ?? `call_of_message_${String(calls++)}`,
      type: "function",
      function: { name: called.name, arguments: JSON.stringify(called.arguments ?? {}) },
    }));
    open.push(...made.map(({ id, function: { name } }) => ({ id, name })));
    translated.push(made.length === 0 ? text : { ...text, tool_calls: made });
  }
  return { messages: translated };
}

function answers({ tool_call_id: id, tool_name: name }: Partial<Message>, call: Call): boolean {
  if (id != null) return id === call.id;
  return name == null || name === "" || name === call.name;
}
