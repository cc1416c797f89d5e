import * as z from "zod";
import type { ChatRequest } from "../../chat.ts";
import { limits } from "../../limits.ts";
import { type BodyParse, boundedList, inOwnTerms, parseBody, refuseField } from "../parse-body.ts";
import { parseChat } from "../parse-chat.ts";
import type { ParsedText } from "../parse-sampling.ts";
import { callId, functionName } from "../parse-tools.ts";
import { formatName, inert, known, maybeText, sharedOf, textFields } from "./ollama-fields.ts";

/** Parses the body of Ollama's chats by translating it into OpenAI's. */

const toolCall = known({
  id: callId.nullish(),
  type: z.literal("function").nullish(),
  function: known({
    name: functionName,
    description: inert,
    arguments: z.record(z.string(), z.unknown()).nullish(),
    index: inert,
  }),
});

const message = known({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: maybeText,
  images: textFields.images,
  // Clients replay what another model has thought. It is left out.
  thinking: inert,
  tool_calls: boundedList(toolCall, { most: limits.toolCalls }).nullish(),
  tool_name: maybeText,
  tool_call_id: callId.nullish(),
});
type Message = z.infer<typeof message>;

const body = known({
  ...textFields,
  messages: boundedList(message, { least: 1, most: limits.messages }),
  /** As in OpenAI's API. */
  tools: inert,
});

/** Parses and bounds the body of POST /api/chat. Neither chooses a seed nor checks the model. */
export function parseOllamaChat(json: string): BodyParse<ParsedText<ChatRequest>> {
  const parsed = parseBody({ schema: body, fields: null }, json);
  if (parsed.kind === "refused") return parsed;
  const { messages, tools, logprobs, top_logprobs, ...asked } = parsed.asked;
  const named = withCallIds(messages);
  if ("orphan" in named) {
    return refuseField(
      `messages[${String(named.orphan)}]`,
      "no earlier call of a tool waits for this result",
    );
  }
  const translated = { ...sharedOf(asked), messages: named.messages, tools, logprobs, top_logprobs };
  const chat = parseChat(JSON.stringify(translated));
  return chat.kind === "parsed" ? chat : inOwnTerms(chat, [formatName]);
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
