import { shownId, unixSeconds } from "../../../app/batches/openai-objects.ts";
import type { ResponseEcho } from "../../../app/jobs/response-echo.ts";
import type { TokenChoice } from "../../../app/jobs/sampling.ts";
import { type AnswerHead, serviceTiers, type TextResult } from "../answerForm.ts";
import { tokenBody } from "../chatForm.ts";
import { type AnswerCost, type ApiError, costBody, ownField } from "../respond.ts";
import type { Opinion } from "../votes/decide.ts";

/** The path of a response is this and its id. */
export const responsesPath = "/v1/responses/";

/** The id of a job as a response. */
export function responseId(jobId: string): string {
  return shownId("response", jobId);
}

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

/** The fields of a response that are known before its end. `echo`: null if the request is not at hand. `opinion`: of its votes. */
export type ResponseHead = AnswerHead & {
  readonly echo: ResponseEcho | null;
  readonly opinion?: Opinion | null;
};

/** OpenAI's response object. */
export function responseBody(
  { jobId, created, model, sha256, priority, echo, opinion = null }: ResponseHead,
  status: ResponseStatus,
  {
    result = null,
    cost = null,
    error = null,
  }: {
    readonly result?: TextResult | null;
    /** Null if headers tell it. */
    readonly cost?: AnswerCost | null;
    readonly error?: { readonly code: string; readonly message: string } | null;
  } = {},
): object {
  return {
    id: responseId(jobId),
    object: "response",
    created_at: unixSeconds(created),
    status,
    error,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    model,
    output: result === null ? [] : outputOf(jobId, result),
    usage: result === null ? null : usageOf(result),
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    truncation: "disabled",
    access_programs: null,
    service_tier: serviceTiers[priority],
    ...(echo ?? unknownEcho),
    ...(result === null ? {} : ownField(opinion, cost === null ? null : costBody({ sha256 }, cost))),
  };
}

/** A job whose payload is deleted does not have its request. */
const unknownEcho = {
  instructions: null,
  max_output_tokens: null,
  temperature: null,
  top_p: null,
  tools: [],
  tool_choice: "auto",
  text: { format: { type: "text" } },
  parallel_tool_calls: true,
  metadata: {},
  background: false,
  store: true,
};

/** The stored echo of a job, which is JSON. Null: the job has none. */
export function parseEcho(json: string | null): ResponseEcho | null {
  return json === null ? null : (JSON.parse(json) as ResponseEcho);
}

/** Whether an answer is whole. */
export function endStatus({ finishReason }: TextResult): "completed" | "incomplete" {
  return finishReason === "length" ? "incomplete" : "completed";
}

/**
 * The error of a failed response. OpenAI publishes a list of codes, and generated clients refuse others. So `code` is one of these, and
 * the message names our own code.
 */
export function failureBody({ status, code, message }: ApiError): {
  readonly code: string;
  readonly message: string;
} {
  const known = status === 429 ? "rate_limit_exceeded" : status === 400 ? "invalid_prompt" : "server_error";
  return { code: known, message: `${message} (${code})` };
}

/** The items of an answer: its text, if there is any or nothing else, and then its calls of tools. */
export function outputOf(jobId: string, result: TextResult): readonly object[] {
  const { text, toolCalls = [], logprobs } = result;
  const status = endStatus(result);
  return [
    ...(text === "" && toolCalls.length > 0 ? [] : [messageItem(jobId, status, [textPart(text, logprobs)])]),
    ...toolCalls.map((call, index) => callItem(jobId, { ...call, index }, status)),
  ];
}

export function messageItem(jobId: string, status: string, content: readonly object[]): object {
  return { id: messageId(jobId), type: "message", role: "assistant", status, content };
}

export function messageId(jobId: string): string {
  return `msg_${jobId}`;
}

export function textPart(text: string, logprobs: readonly TokenChoice[] = []): object {
  return { type: "output_text", text, annotations: [], logprobs: logprobs.map(logprobOf) };
}

export function logprobOf({ top, ...chosen }: TokenChoice): object {
  return { ...tokenBody(chosen), top_logprobs: top.map(tokenBody) };
}

export function callItem(
  jobId: string,
  call: { readonly id: string; readonly name: string; readonly arguments: string; readonly index: number },
  status: string,
): object {
  const { id, name, arguments: json, index } = call;
  return { id: callItemId(jobId, index), type: "function_call", status, call_id: id, name, arguments: json };
}

export function callItemId(jobId: string, index: number): string {
  return `fc_${jobId}_${String(index)}`;
}

function usageOf({ usage }: TextResult): object {
  const { promptTokens, completionTokens, cachedPromptTokens = 0 } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedPromptTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + completionTokens,
  };
}
