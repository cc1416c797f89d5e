import type { FinishReason, ToolCall } from "../../app/jobs/chat.ts";
import { isRecord, parseJson } from "../../app/json.ts";
import type { AnswerHead, TextResult } from "../openai/answerForm.ts";
import { type ApiError, errorBody, ownField } from "../openai/respond.ts";
import type { Opinion } from "../openai/votes/decide.ts";

/** Anthropic's message object. `result`: null before the end. `opinion`: of its votes; null without any. */
export function messageBody(
  { jobId, model }: AnswerHead,
  result: TextResult | null,
  opinion: Opinion | null = null,
): object {
  return {
    id: `msg_${jobId}`,
    type: "message",
    role: "assistant",
    model,
    content: result === null ? [] : contentOf(result),
    ...(result === null ? { stop_reason: null, stop_sequence: null } : stopOf(result)),
    stop_details: null,
    container: null,
    diagnostics: null,
    // The packages require these fields. Our devices have no values for them.
    usage: { ...usageOf(result), cache_creation: null, inference_geo: null, service_tier: null, speed: null },
    ...ownField(opinion),
  };
}

/** How a text ended. An older device does not name the stop string, so that is the end of a turn, too. */
export function stopOf({ finishReason, stopText }: TextResult): object {
  return stopText === undefined
    ? { stop_reason: stopReasons[finishReason], stop_sequence: null }
    : { stop_reason: "stop_sequence", stop_sequence: stopText };
}

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
};

function contentOf({ text, toolCalls = [] }: TextResult): readonly object[] {
  return [
    ...(text === "" && toolCalls.length > 0 ? [] : [{ type: "text", text, citations: null }]),
    ...toolCalls.map((call) => ({ ...toolBlock(call), input: inputOf(call) })),
  ];
}

/** The block of a call before its arguments are there. */
export function toolBlock({ id, name }: ToolCall): object {
  return { type: "tool_use", id, name, input: {}, caller: { type: "direct" } };
}

/** A call that `max_tokens` cut has no whole arguments. */
function inputOf({ arguments: json }: ToolCall): object {
  const input = parseJson(json);
  return isRecord(input) ? input : {};
}

/** Tokens of a prompt that were still in the device's memory count as read from a cache. */
export function usageOf(result: TextResult | null): object {
  const { promptTokens, completionTokens, cachedPromptTokens = 0 } = result?.usage ?? noUsage;
  return {
    input_tokens: promptTokens - cachedPromptTokens,
    cache_read_input_tokens: cachedPromptTokens,
    cache_creation_input_tokens: 0,
    output_tokens: completionTokens,
    output_tokens_details: null,
    server_tool_use: null,
  };
}

const noUsage = { promptTokens: 0, completionTokens: 0, cachedPromptTokens: 0 };

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

/** Anthropic's error object. It keeps our code, which says more than its type. */
export function anthropicError(error: ApiError): object {
  const { error: own } = errorBody(error) as { readonly error: { readonly message: string } };
  return withType(error.status, own);
}

/** Anthropic's packages keep a conversation in a thread if they run tools. By these details they send all messages instead. */
const noThread = { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } };

/** The same from a body that is in OpenAI's form. */
export function withType(
  status: number,
  own: { readonly message: string; readonly param?: unknown },
): object {
  const type = errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { ...own, type, ...(own.param === "thread" ? noThread : {}) } };
}
