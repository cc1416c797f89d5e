import type { ChatHistoryItem, ChatModelFunctionCall, ChatModelResponse } from "node-llama-cpp";
import type { ChatMessage } from "../../../app/jobs/chat.ts";

/**
 * Messages in the library's terms, with the place of the answer at their end. There a tool's result is part of the
 * call, and what the model says after it goes on with the same answer.
 */
export function historyOf(messages: readonly ChatMessage[]): ChatHistoryItem[] {
  const items: ChatHistoryItem[] = [];
  const calls = new Map<string, ChatModelFunctionCall>();
  for (const { role, content, toolCalls = [], toolCallId } of messages) {
    switch (role) {
      case "system":
      case "user":
        items.push({ type: role, text: content });
        break;
      case "assistant": {
        const response = openAnswer(items);
        if (content !== "") response.push(content);
        toolCalls.forEach(({ id, name, arguments: json }, index) => {
          const call: ChatModelFunctionCall = {
            type: "functionCall",
            name,
            params: parsed(json),
            result: undefined,
            ...(index === 0 ? { startsNewChunk: true } : {}),
          };
          calls.set(id, call);
          response.push(call);
        });
        break;
      }
      case "tool": {
        const call = calls.get(toolCallId ?? "");
        if (call !== undefined) call.result = parsed(content);
        break;
      }
    }
  }
  openAnswer(items);
  return items;
}

/** The answer that goes on: one that ended with a call. Else a new one: without a call the last one was whole. */
function openAnswer(items: ChatHistoryItem[]): ChatModelResponse["response"] {
  const last = items.at(-1);
  if (last?.type === "model" && endsWithCall(last)) return last.response;
  const answer: ChatModelResponse = { type: "model", response: [] };
  items.push(answer);
  return answer.response;
}

function endsWithCall({ response }: ChatModelResponse): boolean {
  const last = response.at(-1);
  return typeof last === "object" && last.type === "functionCall";
}

/** The library writes values as JSON: text that is JSON would else be quoted twice. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
